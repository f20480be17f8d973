import { text } from 'node:stream/consumers';
import { CliFailure, usageFailure } from './cli-failure.ts';
import type { Input, Printer } from './surroundings.ts';

export interface SecretTerminal {
  readonly stdin: Input;
  readonly stderr: Printer;
}

/**
 * Values of secrets, by name: prompted for without echo on a terminal, else read from stdin (the whole of it for one
 * secret, without its final newline; one line each, in the order given, for several). Never from the command line,
 * which other users of the machine can read.
 *
 * @throws CliFailure with exit `usage` when a value is missing or a name is given twice
 */
export async function readSecrets(names: readonly string[], terminal: SecretTerminal): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  if (names.length === 0) return values;
  for (const name of names) {
    if (name.includes('=')) {
      throw usageFailure(
        `--secret takes a name only: ${name.slice(0, name.indexOf('='))}.`,
        'The value is read from a prompt or from stdin. Replace a secret that was typed on a command line.',
      );
    }
  }
  if (new Set(names).size !== names.length) throw usageFailure('The same --secret is given twice.');
  const given = terminal.stdin.isTTY === true ? await promptAll(names, terminal) : await readAll(names, terminal.stdin);
  for (const [index, name] of names.entries()) {
    const value = given[index] ?? '';
    if (value === '')
      throw usageFailure(
        `No value was given for the secret ${name}.`,
        'Type it at the prompt, or pipe it in: `… < file`.',
      );
    values[name] = value;
  }
  return values;
}

async function readAll(names: readonly string[], stdin: Input): Promise<string[]> {
  const content = (await text(stdin)).replace(/\r?\n$/, '');
  if (names.length === 1) return [content];
  const lines = content.split(/\r?\n/);
  if (lines.length === names.length) return lines;
  throw usageFailure(`${names.length} secrets need ${names.length} lines on stdin, there are ${lines.length}.`);
}

async function promptAll(names: readonly string[], terminal: SecretTerminal): Promise<string[]> {
  const values: string[] = [];
  for (const name of names) values.push(await prompt(name, terminal));
  return values;
}

const CTRL_C = '\u0003';
const ENDS_INPUT: ReadonlySet<string> = new Set(['\r', '\n', '\u0004']);
const ERASES: ReadonlySet<string> = new Set(['\u007f', '\b']);

function prompt(name: string, { stdin, stderr }: SecretTerminal): Promise<string> {
  // First, for whoever types as soon as they are asked.
  stdin.setRawMode?.(true);
  stderr.write(`${name} (not shown): `);
  stdin.setEncoding('utf8');
  stdin.resume();
  return new Promise((resolve, reject) => {
    let value = '';
    const finish = (resolveOrReject: () => void): void => {
      stdin.off('data', onData);
      stdin.setRawMode?.(false);
      stdin.pause();
      stderr.write('\n');
      resolveOrReject();
    };
    const onData = (chunk: string): void => {
      for (const key of chunk) {
        if (key === CTRL_C) {
          finish(() => reject(new CliFailure('INTERRUPTED', 'Interrupted.', { exit: 'interrupted' })));
          return;
        }
        if (ENDS_INPUT.has(key)) {
          finish(() => resolve(value));
          return;
        }
        value = ERASES.has(key) ? [...value].slice(0, -1).join('') : value + key;
      }
    };
    stdin.on('data', onData);
  });
}
