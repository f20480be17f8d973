/** True for a start command that Bun runs. */
export function isStartedByBun(line: string): boolean {
  return /(?:^|[\s;&|])bunx?\s/.test(line);
}
