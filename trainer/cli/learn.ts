/** `hone learn FOLDER`: teaches what stands in a folder's own files, before anything was typed there. */
import { createHash } from 'node:crypto';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import {
  DEFAULT_WORKSPACE,
  PLACES_MAX,
  placesResponseSchema,
  type PlacesRequest,
} from '../../extension/common/contracts/index.ts';
import { codeLanguageOf } from '../../extension/common/files/codeLanguages.ts';
import type { FilePlace } from '../../extension/common/places/filePlaces.ts';
import { WorkspaceIndex } from '../../extension/workspace/workspaceIndex.ts';
import { runningCompanion } from '../lock.ts';
import { HoneError } from '../server/shared/errors.ts';
import { addConfigOption, commandConfig } from './commandConfig.ts';
import { addCommonOptions, parsePositive, type CommonOptions } from './options.ts';
import { addTokenOptions, askRunning, type TokenOptions } from './running.ts';

const DEFAULT_PLACES = 128;

interface LearnOptions extends CommonOptions, TokenOptions {
  places: number;
  workspace: string;
  exclude: string[];
  print?: boolean;
}

/** Adds `learn`. */
export function addLearnCommand(program: Command): void {
  const command = program
    .command('learn')
    .description("teach the running companion what stands at places of a folder's own files")
    .argument('<folder>', 'its code; what git ignores, keys and certificates are left out')
    .option('--places <number>', `places, ${PLACES_MAX} at most`, parsePositive, DEFAULT_PLACES)
    .option('--workspace <key>', 'workspace that they belong to', DEFAULT_WORKSPACE)
    .option('--exclude <globs...>', 'files that are left out too', [])
    .option('--print', 'print the request and send nothing');
  addConfigOption(addTokenOptions(addCommonOptions(command))).action(
    (folder: string, options: LearnOptions) => learn(resolve(folder), options, command),
  );
}

async function learn(folder: string, options: LearnOptions, command: Command): Promise<void> {
  const places = placesOf(folder, options);
  if (places.length === 0)
    throw new HoneError(
      'invalid_request',
      `There is no code to learn from in ${folder}. Name a folder of code.`,
    );
  const body: PlacesRequest = {
    v: 1,
    workspaceKey: options.workspace,
    places: places.map((place) => ({ ...place, language: codeLanguageOf(place.path)! })),
  };
  if (options.print === true) {
    console.log(JSON.stringify(body));
    return;
  }
  const { dataDir } = commandConfig(command);
  const running = runningCompanion(dataDir);
  if (running === null)
    throw new HoneError('unreachable', `No companion runs on ${dataDir}. Start one with: hone serve`);
  const answer = await askRunning(
    running,
    options,
    'POST',
    '/api/training/places',
    placesResponseSchema,
    body,
  );
  const { stored, heldOut, known } = answer;
  console.log(
    options.json
      ? JSON.stringify(answer)
      : `${stored} places are learned from, ${heldOut} held out to judge what is learned, ${known} were known already.`,
  );
}

function placesOf(folder: string, { places: count, exclude, seed }: LearnOptions): FilePlace[] {
  if (count > PLACES_MAX)
    throw new HoneError('invalid_request', `${count} places are more than ${PLACES_MAX}. Ask for fewer.`, {
      param: '--places',
    });
  const workspace = new WorkspaceIndex({
    folders: [{ root: folder, label: '' }],
    excludedPatterns: exclude,
    countsWords: false,
  });
  const found: FilePlace[] = [];
  for (const _step of workspace.scan());
  for (const _step of workspace.places(count, seed ?? seedOf(folder), found));
  return found.slice(0, count);
}

/** The same places of the same folder, whoever asks. */
function seedOf(folder: string): number {
  return createHash('sha256').update(basename(folder)).digest().readInt32LE(0);
}
