/** What the probe of the native libraries means. */
import type { FlavourReport } from '../ggml/library.ts';
import type { GpuChoice } from '../inference/llama.ts';
import { ok, problem, problemOf, warning, type Finding } from './finding.ts';
import { modelFindings } from './model.ts';
import type { Part, ProbeParts, ProbeResult } from './probe.ts';

const RULED_OUT: Partial<Record<FlavourReport['flavour'], readonly NodeJS.Platform[]>> = {
  cuda: ['darwin'],
  vulkan: ['darwin'],
  metal: ['linux', 'win32'],
};
const DRIVERS: Partial<Record<FlavourReport['flavour'], string>> = {
  cuda: 'NVIDIA driver (libcuda)',
  vulkan: 'Vulkan loader (libvulkan)',
};
const TOOLS: Partial<Record<FlavourReport['flavour'], string>> = { cuda: 'nvidia-smi', vulkan: 'vulkaninfo' };

/** Findings about llama.cpp, ggml, the GPU and the model file. */
export function nativeFindings({ parts, crash }: ProbeResult, gpu: GpuChoice, modelPath: string): Finding[] {
  const findings = [
    ...of('llama', parts.llama, ({ build }) => [ok('llama', `llama.cpp ${build} runs.`)]),
    ...of('ggml', parts.ggml, ({ version, flavour, device }) => [
      ok('ggml', `ggml ${version} (${flavour}) runs on ${device} and passes its self-check.`),
    ]),
    ...gpuFindings(parts, gpu),
    ...of('model', parts.model, (model) => modelFindings(modelPath, model)),
  ];
  if (crash === null) return findings;
  return [
    ...findings,
    problem(
      'native',
      `The native libraries ended their process (${crash}).`,
      'A driver may be broken: try `hone doctor --gpu cpu`. If that goes well, set the GPU to cpu or bring the driver up to date.',
    ),
  ];
}

function of<T>(check: string, part: Part<T> | undefined, found: (value: T) => Finding[]): Finding[] {
  if (part === undefined) return [];
  return 'found' in part ? found(part.found) : [problemOf(check, part.error)];
}

function gpuFindings({ flavours, llama, ggml }: Partial<ProbeParts>, gpu: GpuChoice): Finding[] {
  // Where the process ended before it came to them, that is told.
  if (flavours === undefined || !('found' in flavours) || llama === undefined || ggml === undefined)
    return [];
  if (gpu === 'cpu') return [ok('gpu', 'The processor is used, as asked for.')];
  const device = 'found' in llama && llama.found.gpus.length > 0 ? llama.found : null;
  if (device !== null && 'found' in ggml) {
    const learner = ggml.found.isCpu ? 'the processor' : ggml.found.device;
    return [
      ok('gpu', `Completions on ${device.device} (${device.gpus.join(', ')}), learning on ${learner}.`),
    ];
  }
  const asked = flavours.found.filter(({ flavour }) =>
    gpu === 'auto' ? isPossibleHere(flavour) : flavour === gpu,
  );
  const reasons = asked.map(whyNot);
  const text = `No GPU is used. ${reasons.map((reason) => reason.text).join(' ')}`;
  const remedies = reasons.flatMap(({ remedy }) => remedy ?? []);
  if (gpu !== 'auto')
    return [problem('gpu', text, [...remedies, 'Or compute on the processor: --gpu cpu.'].join(' '))];
  return [remedies.length === 0 ? ok('gpu', text) : warning('gpu', text, remedies.join(' '))];
}

function isPossibleHere(flavour: FlavourReport['flavour']): boolean {
  return flavour !== 'cpu' && !(RULED_OUT[flavour] ?? []).includes(process.platform);
}

/** Where there is no driver there is, most likely, no such GPU: nothing to do. */
function whyNot({ flavour, installed, driver }: FlavourReport): { text: string; remedy: string | null } {
  const system = { win32: 'win', darwin: 'mac' }[process.platform as string] ?? process.platform;
  const name = `@node-llama-cpp/${system}-${process.arch}-${flavour}`;
  if (!driver) return { text: `${flavour}: there is no ${DRIVERS[flavour] ?? 'driver'} here.`, remedy: null };
  if (!installed)
    return {
      text: `${flavour}: the driver is here, the package ${name} isn't.`,
      remedy: `Install it beside node-llama-cpp, in the same version: npm install --no-save ${name}.`,
    };
  const tool = TOOLS[flavour];
  return {
    text: `${flavour}: package and driver are here, and no device answers.`,
    remedy:
      tool === undefined
        ? 'See whether this computer has such a device.'
        : `See whether \`${tool}\` lists a device, and whether this account may use it.`,
  };
}
