/** True for a start command that Bun runs, not its watcher for development. */
export function isStartedByBun(line: string): boolean {
  return /(?:^|[\s;&|])bunx?\s/.test(line) && !/\s--(?:hot|watch)\b/.test(line);
}
