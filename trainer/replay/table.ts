/** Text columns: the first left, the others right aligned. */
export function table(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A number with its sign. */
export function signed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return value >= 0 ? `+${text}` : text;
}

/** 0..1 as a percentage. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

export function milliseconds(value: number): string {
  return Number.isFinite(value) ? `${Math.round(value)} ms` : '-';
}
