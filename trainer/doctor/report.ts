/** The findings for people, a line each, with what to do below it. */
import type { Finding } from './finding.ts';

const MARKS = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' } as const;
const INDENT = ' '.repeat(MARKS.ok.length + 1);

export function reportText(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ status, text, remedy }) => [
    `${MARKS[status]} ${text.replaceAll('\n', `\n${INDENT}`)}`,
    ...(remedy === undefined ? [] : [`${INDENT}→ ${remedy}`]),
  ]);
  const problems = countOf(findings, 'problem');
  const warnings = countOf(findings, 'warning');
  return [...lines, '', `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}.`].join('\n');
}

export function countOf(findings: readonly Finding[], status: Finding['status']): number {
  return findings.filter((finding) => finding.status === status).length;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
