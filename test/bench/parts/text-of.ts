/** @param bytes as JSON, quotes included */
export function textOf(bytes: number): string {
  return 'x'.repeat(Math.max(0, bytes - 2));
}
