/** With forward slashes, whatever the system writes. */
export function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}
