import { parse } from 'yaml';

/**
 * Settings of a tool in YAML, read as that tool would. Keys are not compared for repeats, which takes the square of their
 * number. @throws for what is no YAML
 */
export function parseSettings(text: string): unknown {
  return parse(text, { uniqueKeys: false, logLevel: 'silent' });
}
