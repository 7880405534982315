/** llama.cpp's own probabilities, the reference for the trainer's forward pass. */
import { getLlama, type LlamaModel, type Token } from 'node-llama-cpp';

interface LlamaReference {
  /** log p(tokens[i+1] | tokens[..i]) at temperature 1, for the target positions [from, tokens.length). */
  logprobs(tokens: number[], from: number): Promise<number[]>;
  /** Plain text to ids. */
  tokenize(text: string): number[];
  dispose(): Promise<void>;
}

export async function llamaReference(
  path: string,
  options: { adapter?: string; temperature?: number } = {},
): Promise<LlamaReference> {
  const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, maxThreads: 1 });
  const model: LlamaModel = await llama.loadModel({ modelPath: path });
  const context = await model.createContext({
    contextSize: 512,
    // So that only the arithmetic is compared: flash attention accumulates in F16, which costs some 3e-3 nats.
    flashAttention: false,
    experimentalKvCacheKeyType: 'F32',
    experimentalKvCacheValueType: 'F32',
    threads: 1,
    lora: options.adapter ? { adapters: [{ filePath: options.adapter }] } : undefined,
  });
  const sequence = context.getSequence();
  return {
    async logprobs(tokens, from) {
      await sequence.clearHistory();
      const generateNext = {
        probabilities: true,
        options: { temperature: options.temperature ?? 1, topK: 0, topP: 1, minP: 0 },
      } as const;
      const results = await sequence.controlledEvaluate(
        tokens
          .slice(0, -1)
          .map((token, i) => (i + 1 < from ? (token as Token) : [token as Token, { generateNext }])),
      );
      return tokens.slice(from).map((token, i) => {
        const probability = results[from - 1 + i]?.next.probabilities?.get(token as Token);
        if (probability === undefined) throw new Error(`llama.cpp gave no probability for token ${token}.`);
        return Math.log(probability);
      });
    },
    tokenize: (text) => model.tokenize(text),
    async dispose() {
      await context.dispose();
      await model.dispose();
      await llama.dispose();
    },
  };
}
