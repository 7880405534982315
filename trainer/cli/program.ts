/** The command line: its commands, and how a failure leaves the process. */
import { Command, CommanderError } from 'commander';
import { errorBody, HoneError } from '../server/shared/errors.ts';
import { addAdaptersCommand } from './adapters.ts';
import { addClientCommand } from './client.ts';
import { addDataCommand } from './data.ts';
import { addDoctorCommand } from './doctor.ts';
import { addExplainCommand } from './explain.ts';
import { addInspectCommand } from './inspect.ts';
import { addJudgeCommand } from './judge.ts';
import { addLearnCommand } from './learn.ts';
import { addReplayCommand } from './replay.ts';
import { addServeCommand } from './serve.ts';
import { addTrainCommand } from './train.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** The program with all its commands; it throws where commander would end the process. */
function createProgram(): Command {
  const program = new Command('hone')
    .description('Code completion that learns from one developer, on that developer’s own computer.')
    .exitOverride();
  addServeCommand(program);
  addReplayCommand(program);
  addJudgeCommand(program);
  addTrainCommand(program);
  addLearnCommand(program);
  addAdaptersCommand(program);
  addClientCommand(program);
  addDataCommand(program);
  addExplainCommand(program);
  addInspectCommand(program);
  addDoctorCommand(program);
  return program;
}

/** Runs one command line and returns the exit code: 0, 1 when it failed, 2 when it was used wrongly. */
export async function runProgram(argv: string[]): Promise<number> {
  const program = createProgram();
  try {
    await program.parseAsync(argv, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
    printError(error, argv.includes('--json'));
    return EXIT_FAILED;
  }
}

function printError(error: unknown, json: boolean): void {
  if (!(error instanceof HoneError)) {
    console.error(error);
    return;
  }
  if (json) console.log(JSON.stringify(errorBody(error)));
  console.error(`hone: ${error.message} [${error.code}]`);
}
