/**
 * Secrets in a text, by secretlint's recommended rules. They run without secretlint's own core: that one is
 * asynchronous, and asks for a profiler and source positions that nothing here needs. All of them together take about
 * 0.05 ms for the 6,000 characters around a caret, so that every request scans its whole text: a secret and its name
 * may stand on two lines, which a scan by lines would miss. Pure.
 */
import { rules } from '@secretlint/secretlint-rule-preset-recommend';

/** UTF-16 offsets, the end excluded. */
export interface Span {
  start: number;
  end: number;
}

/** What secretlint's rules ask of their caller, as far as the recommended ones use it. */
interface RuleContext {
  sharedOptions: object;
  createTranslator: () => (id: string, data: Record<string, unknown>) => { data: Record<string, unknown> };
  report: (found: { message: { data: Record<string, unknown> }; range: [number, number] }) => void;
}
interface RuleSource {
  content: string;
  filePath: string;
  ext: string;
}
interface Rule {
  meta: { id: string };
  create(context: RuleContext, options: object): { file(source: RuleSource): unknown };
}

/** Silences reports by comments: a text that a linter is not to speak of is a secret all the same. */
const COMMENT_RULE = '@secretlint/secretlint-rule-filter-comments';
/**
 * The name stands for any text. It switches on the tokens of a package's manifest, and off the rule for `.npmrc`, to
 * which everything behind `_authToken=` is a secret, code too; such files are excluded as a whole.
 */
const FILE_NAME = 'package.json';

/** The shortest that any rule finds, an address with a login. */
const SHORTEST_CHARS = 16;
/** Of an address with a login, only the login is secret. */
const LOGIN = /^[a-z][a-z\d+.:-]*?:\/\/([^@/\s]+)@/i;
/** A key of which the text holds only the beginning, or only the end. */
const KEY_CUT_BELOW =
  /-----BEGIN ?(?:[A-Z]+ )?PRIVATE KEY(?: BLOCK)?-----(?=[\s\S]*?[A-Za-z0-9+/=]{16})[A-Za-z0-9+/=\s\\"',]*$/;
const KEY_CUT_ABOVE =
  /^(?=[\s\S]*?[A-Za-z0-9+/=]{16})[A-Za-z0-9+/=\s\\"',]*-----END ?(?:[A-Z]+ )?PRIVATE KEY(?: BLOCK)?-----/;

const scan = scanner();

/** Where the secrets of a text are, in order; spans that touch are one. */
export function findSecrets(text: string): Span[] {
  if (text.length < SHORTEST_CHARS) return [];
  return joined([...cutKeys(text), ...scan(text)]);
}

/** All rules, set up once. */
function scanner(): (text: string) => Span[] {
  let scanned = '';
  let spans: Span[] = [];
  // By its text and not by its range: some rules give the range of the name in front of the secret.
  const report: RuleContext['report'] = ({ message, range }) => {
    for (const value of Object.values(message.data)) {
      if (typeof value !== 'string' || value === '') continue;
      const start = scanned.indexOf(value, range[0]);
      if (start >= 0) spans.push(withoutAddress(start, value));
    }
  };
  const context: RuleContext = {
    sharedOptions: {},
    createTranslator: () => (_id, data) => ({ data }),
    report,
  };
  const handlers = (rules as unknown as Rule[])
    .filter(({ meta }) => meta.id !== COMMENT_RULE)
    .map((rule) => rule.create(context, {}));
  return (text) => {
    scanned = text;
    spans = [];
    for (const handler of handlers) handler.file({ content: text, filePath: FILE_NAME, ext: '' });
    return spans;
  };
}

function withoutAddress(start: number, value: string): Span {
  const login = LOGIN.exec(value);
  if (login === null) return { start, end: start + value.length };
  const end = start + login[0].length - 1;
  return { start: end - login[1]!.length, end };
}

function cutKeys(text: string): Span[] {
  if (!text.includes('PRIVATE KEY')) return [];
  const spans: Span[] = [];
  const above = KEY_CUT_ABOVE.exec(text);
  if (above !== null) spans.push({ start: 0, end: above[0].length });
  const below = KEY_CUT_BELOW.exec(text);
  if (below !== null) spans.push({ start: below.index, end: text.length });
  return spans;
}

function joined(spans: Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans.sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else result.push({ ...span });
  }
  return result;
}
