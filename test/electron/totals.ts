/** `totals.js` of the workspace in which the suite runs: what its explanation of a prompt is to find. */
export const TOTALS = 'export function invoiceTotal(lines) {\n  return lines.length;\n}\n';
