/** Numbers and times as the dashboard writes them. What is not known is a dash. */

export const UNKNOWN = '–';

const KILO = 1000;
const BYTE_UNITS = ['B', 'KB', 'MB', 'GB'];
const SIGNIFICANT_DIGITS = 4;
const NO_BREAK = '\u00a0';

type Value = number | null | undefined;

/** `1,234`; a fraction keeps one digit. */
export function count(value: Value): string {
  return write(value, (known) => known.toLocaleString('en', { maximumFractionDigits: 1 }));
}

/** `37 %` of a share from 0 to 1. */
export function percent(share: Value): string {
  return write(share, (known) => `${(100 * known).toFixed(0)} %`);
}

/** `140 ms`, `1.2 s`. */
export function milliseconds(value: Value): string {
  return write(value, (known) =>
    known < KILO ? `${known.toFixed(0)} ms` : `${(known / KILO).toFixed(1)} s`,
  );
}

/** `12.3 MB`. */
export function bytes(value: Value): string {
  return write(value, (known) => {
    const power = Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log(Math.max(1, known)) / Math.log(KILO)));
    return `${(known / KILO ** power).toFixed(power === 0 ? 0 : 1)} ${BYTE_UNITS[power]}`;
  });
}

/** A figure of an update, to four significant digits at most. */
export function figure(value: Value): string {
  return write(value, (known) =>
    Number.isInteger(known) ? String(known) : String(Number(known.toPrecision(SIGNIFICANT_DIGITS))),
  );
}

/** `15 Jun` of this computer's calendar, on one line. */
export function day(at: Value): string {
  return write(at, (known) =>
    new Date(known).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' }).replace(' ', NO_BREAK),
  );
}

/** `15 Jun 09:30` of this computer's calendar, on one line. */
export function moment(at: Value): string {
  return write(at, (known) => {
    const time = new Date(known).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
    return `${day(known)}${NO_BREAK}${time}`;
  });
}

function write(value: Value, known: (value: number) => string): string {
  return value === null || value === undefined || !Number.isFinite(value) ? UNKNOWN : known(value);
}
