import { usageFailure } from './cli-failure.ts';

/** `KEY=VALUE` words by name. @param where how the user gave them, such as `--set` @throws CliFailure with exit `usage` */
export function parseAssignments(words: readonly string[], where: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const word of words) {
    const at = word.indexOf('=');
    // The text itself is not repeated: its value may be meant for nobody's eyes.
    if (at < 1) throw usageFailure(`${where} takes KEY=VALUE.`, 'For a value that must stay secret use --secret KEY.');
    values[word.slice(0, at)] = word.slice(at + 1);
  }
  return values;
}
