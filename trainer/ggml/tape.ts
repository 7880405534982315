/**
 * Reverse-mode differentiation over a static graph: operators append their forward nodes and record how a
 * gradient of their output becomes gradients of their inputs. Backward products are formed from operators that
 * every back end has, so nothing depends on ggml's own backward pass.
 */
import type { Graph } from './graph.ts';
import { sameShape, type Tensor } from './tensor.ts';

/** A value on the tape. Gradients are formed only where one is needed. */
export interface Variable {
  readonly value: Tensor;
  readonly needsGradient: boolean;
}

type Backward = (gradient: Tensor) => void;

/** The operators of one graph in the order in which they were recorded, and the gradients that come back. */
export class Tape {
  readonly graph: Graph;
  readonly #steps: { output: Variable; backward: Backward }[] = [];
  readonly #gradients = new Map<Variable, Tensor>();
  readonly #transposed = new Map<Tensor, Tensor>();

  constructor(graph: Graph) {
    this.graph = graph;
  }

  /** A value without a gradient, such as a frozen weight. */
  constant(value: Tensor): Variable {
    return { value, needsGradient: false };
  }

  /** A value whose gradient is wanted. */
  parameter(value: Tensor): Variable {
    return { value, needsGradient: true };
  }

  /** Records an operator; `backward` is dropped when none of its inputs needs a gradient. */
  record(value: Tensor, inputs: Variable[], backward: Backward): Variable {
    const needsGradient = inputs.some((input) => input.needsGradient);
    const output: Variable = { value, needsGradient };
    if (needsGradient) this.#steps.push({ output, backward });
    return output;
  }

  /** Adds to the gradient of a variable; `form` is called only when the variable needs one. */
  accumulate(variable: Variable, form: () => Tensor): void {
    if (!variable.needsGradient) return;
    const gradient = form();
    if (!sameShape(gradient.shape, variable.value.shape))
      throw new RangeError(
        `Gradient ${gradient.shape.join('×')} of a value ${variable.value.shape.join('×')}.`,
      );
    const sum = this.#gradients.get(variable);
    this.#gradients.set(variable, sum ? this.graph.add(sum, gradient) : gradient);
  }

  /** The transposed tensor, formed once a tape: several products share it. */
  transposed(tensor: Tensor): Tensor {
    const known = this.#transposed.get(tensor);
    if (known) return known;
    const transposed = this.graph.transpose(tensor);
    this.#transposed.set(tensor, transposed);
    return transposed;
  }

  /** Runs all recorded steps backwards, from gradients that were accumulated on outputs. */
  backward(): void {
    for (const { output, backward } of this.#steps.toReversed()) {
      const gradient = this.#gradients.get(output);
      if (gradient) backward(gradient);
    }
  }

  /** Gradient of a variable after `backward`, or undefined when nothing depends on it. */
  gradientOf(variable: Variable): Tensor | undefined {
    return this.#gradients.get(variable);
  }
}
