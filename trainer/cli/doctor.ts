/** `hone doctor`: what is here, what is wrong with it and what to do, as a report that fits into an issue. */
import { Option, type Command } from 'commander';
import { FIM_CHOICES } from '../../extension/common/prompt/fimChoice.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { examine } from '../doctor/examine.ts';
import { problem, warning, type Finding } from '../doctor/finding.ts';
import { PROBE_KINDS, printProbe, type ProbeKind } from '../doctor/probe.ts';
import { countOf, reportText } from '../doctor/report.ts';
import { addConfigOption, overridesOf } from './commandConfig.ts';
import { addCommonOptions, defaultDataDir, embeddedModelPath, parsePort } from './options.ts';
import { addTokenOptions, type TokenOptions } from './running.ts';

interface DoctorOptions extends TokenOptions {
  config?: string;
  json: boolean;
  probe?: ProbeKind;
}

/** Adds `doctor`. */
export function addDoctorCommand(program: Command): void {
  const command = program
    .command('doctor')
    .description(
      'look at everything that Hone needs and say what is wrong; the report holds no token and no code',
    );
  addConfigOption(addTokenOptions(addCommonOptions(command)))
    .option('--host <address>', 'address that would be listened on')
    .option('--inference-port <port>', 'port of completions', parsePort)
    .option('--feedback-port <port>', 'port of feedback', parsePort)
    .addOption(new Option('--fim-template <name>', 'fill-in-the-middle template').choices(FIM_CHOICES))
    .addOption(new Option('--probe <kind>', 'look at native libraries alone').choices(PROBE_KINDS).hideHelp())
    .action((options: DoctorOptions) => doctor(options, command));
}

async function doctor(options: DoctorOptions, command: Command): Promise<void> {
  const { config, configuration } = configured(options, command);
  const modelPath = config.model.path ?? embeddedModelPath();
  const { gpu } = config.model;
  const { fimTemplate } = config.inference;
  if (options.probe !== undefined) return printProbe(options.probe, { gpu, modelPath, fimTemplate });
  const probeOptions = ['--gpu', gpu, '--model', modelPath, '--fim-template', fimTemplate];
  const findings = await examine({
    config,
    configuration,
    dataDir: config.dataDir ?? defaultDataDir(),
    modelPath,
    tokens: [options.token, options.feedbackToken].filter((token) => token !== undefined),
    probeCommand: [process.execPath, process.argv[1]!, 'doctor', ...probeOptions, '--probe'],
    environment: process.env,
  });
  const problems = countOf(findings, 'problem');
  const warnings = countOf(findings, 'warning');
  console.log(
    options.json ? JSON.stringify({ v: 1, problems, warnings, findings }, null, 2) : reportText(findings),
  );
  if (problems > 0) process.exitCode = 1;
}

/** A file that can't be read is told, and the rest is looked at all the same, with the options and the defaults. */
function configured(
  { config: path }: DoctorOptions,
  command: Command,
): { config: Config; configuration: Finding[] } {
  const overrides = overridesOf(command);
  try {
    const { config, warnings } = loadConfig(path, overrides);
    const remedy = 'Leave them out, or give what they are called here (docs/configuration.md).';
    return { config, configuration: warnings.map((text) => warning('configuration', text, remedy)) };
  } catch (error) {
    const text = (error as Error).message;
    const remedy = 'Correct the file; below, the options and the defaults are looked at.';
    return {
      config: loadConfig(undefined, overrides).config,
      configuration: [problem('configuration', text, remedy)],
    };
  }
}
