import { issueLog } from './issueLog.ts';
import { errorOf, statusView, type Situation } from './statusView.ts';

export interface ReportFacts {
  version: string;
  editor: string;
  platform: string;
  /** Where the extension host runs: empty on this computer. */
  remote: string;
  situation: Situation;
  /** The user's home folder, which error messages may name. */
  home: string;
  /** Settings that differ from their default, by key. */
  settings: Record<string, unknown>;
  /** What `hone doctor` printed, or why it couldn't; null: the companion is on another machine. */
  doctor: string | null;
  /** The chosen model file, which the doctor names; empty: the embedded one. */
  modelPath: string;
  /** Folders that doctor and log name, and what is written in their place. */
  folders: [folder: string, name: string][];
  /** The last lines of the extension's log. */
  log: readonly string[];
}

/** Settings whose values may name people, folders or machines: that they are set is told, not to what. */
const PRIVATE_SETTING = /path|url|header|proxy|mirror|token|file/i;
const CHOSEN_MODEL = '(the chosen model)';
const OTHER_MACHINE = '(another machine)';

/**
 * A Markdown document to describe a problem in. It holds no code, no home folder and no name of another machine; what
 * the user doesn't want to tell can be taken out before it is sent anywhere.
 */
export function issueReport(report: ReportFacts): string {
  const { version, editor, platform, remote, situation, settings } = report;
  const { training, model } = situation;
  const facts: [string, string][] = [
    ['Hone', version],
    ['Editor', editor],
    ['Platform', platform],
    ['Extension host', remote === '' ? 'local' : remote],
    ['Companion', situation.remote === null ? 'beside it' : 'on another machine'],
    ['State', statusView(situation).kind],
    ['Error', errorIn(report)],
    ['Model', model ?? 'not known'],
    ['Adapter version', String(training?.adapterVersion ?? 'not known')],
    ['Learning', training ? training.state : 'not known'],
    [
      'Events',
      training
        ? `${training.stored} stored, ${training.queued} waiting, ${training.heldOut} held out, ${training.trained} learned from`
        : 'not known',
    ],
    ['Last update', training?.lastRun?.decision ?? 'none'],
    ['Tracking', `${situation.tracking ? 'on' : 'off'}${situation.trusted ? '' : ', workspace not trusted'}`],
  ];
  const changed = Object.entries(settings).map(([key, value]): [string, string] => [
    key,
    PRIVATE_SETTING.test(key) ? '(set)' : JSON.stringify(value),
  ]);
  return `# What went wrong

What I did:

What I expected:

What happened:

# State

${list(facts)}

# Settings that I changed

${changed.length === 0 ? 'None.' : list(changed)}

# What \`hone doctor\` found

${doctorIn(report)}

# Log

${logIn(report)}

"Hone: Show Log" has all of it. Please look through what you send.
`;
}

function doctorIn(report: ReportFacts): string {
  if (report.doctor === null) return 'The companion is on another machine: run `hone doctor` there.';
  return block(withoutPlaces(report.doctor, report).trimEnd().split('\n'));
}

function logIn({ log, modelPath, folders, situation }: ReportFacts): string {
  const named: [string, string][] = [];
  if (modelPath !== '') named.push([modelPath, CHOSEN_MODEL]);
  if (situation.remote !== null) named.push([situation.remote.host, OTHER_MACHINE]);
  const lines = issueLog(log, [...named, ...folders]);
  return lines.length === 0 ? 'Nothing was written yet.' : block(lines);
}

/** Indented, which is a block of code in Markdown. */
function block(lines: string[]): string {
  return lines.map((line) => `    ${line}`.trimEnd()).join('\n');
}

function withoutPlaces(text: string, { home, modelPath, folders }: ReportFacts): string {
  const named = modelPath === '' ? text : text.replaceAll(modelPath, CHOSEN_MODEL);
  return withoutHome(
    folders.reduce((rest, [folder, name]) => rest.replaceAll(folder, name), named),
    home,
  );
}

function withoutHome(text: string, home: string): string {
  return text.replaceAll(`${home}/`, '~/').replaceAll(`${home}\\`, '~\\');
}

function errorIn(report: ReportFacts): string {
  const { situation } = report;
  const error = withoutPlaces(errorOf(situation) ?? 'none', report);
  return situation.remote === null ? error : error.replaceAll(situation.remote.host, OTHER_MACHINE);
}

function list(facts: [string, string][]): string {
  return facts.map(([name, value]) => `- ${name}: ${value}`).join('\n');
}
