import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseLedgerKey } from '../sdk/audit/ledger-key.ts';
import type { ProofCheck, Verdict } from '../sdk/audit/proof-check.ts';
import { usageFailure } from './cli-failure.ts';
import { exitCode } from './exit-codes.ts';
import type { Output } from './output.ts';
import type { Alone } from './perform.ts';
import { printable, type Tone } from './terminal/style.ts';

/** What the commands have in common that verify what the audit ledger says, without it. */

const ADDRESS = /^0x[0-9a-f]{40}$/i;

const EXITS = { proven: 'ok', refuted: 'failed', undecided: 'undecided' } as const;
const TONES: Readonly<Record<Verdict, Tone>> = { proven: 'good', refuted: 'bad', undecided: 'warn' };
const MARKS: Record<ProofCheck['outcome'], readonly [mark: string, tone: Tone]> = {
  passed: ['✓', 'good'],
  failed: ['✗', 'bad'],
  unknown: ['?', 'warn'],
  warning: ['!', 'warn'],
};

/** Shows the checks and the sentence for the verdict. @returns the exit code */
export function showVerdict(
  output: Output,
  result: { readonly verdict: Verdict; readonly checks: readonly ProofCheck[] },
  sentences: Readonly<Record<Verdict, string>>,
): number {
  const { verdict, checks } = result;
  output.document(result);
  if (output.quiet) output.print(verdict);
  else {
    const width = Math.max(9, ...checks.map(({ check }) => check.length));
    for (const { check, outcome, text: line } of checks) {
      const [mark, tone] = MARKS[outcome];
      output.print(`${output.paint(tone, mark)} ${check.padEnd(width)}  ${printable(line)}`);
    }
    output.print();
    output.print(output.paint(TONES[verdict], sentences[verdict]));
  }
  return exitCode(EXITS[verdict]);
}

/** @throws CliFailure with exit `usage` */
export async function readJson(path: string, { terminal, cwd }: Alone): Promise<unknown> {
  let content: string;
  try {
    content = path === '-' ? await text(terminal.stdin) : await readFile(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    return JSON.parse(content);
  } catch {
    throw usageFailure(`${path} is not JSON.`);
  }
}

export function unreadable(path: string, error: unknown) {
  return usageFailure(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
}

/** @throws CliFailure with exit `usage` */
export function assertContract(contract: string | undefined): void {
  if (contract !== undefined && !ADDRESS.test(contract)) throw usageFailure('--contract: 0x and 40 hex digits');
}

/** Keys that were given, as the SDK takes them. @throws CliFailure with exit `usage` */
export function keysOf(given: readonly string[]): readonly string[] {
  try {
    given.forEach(parseLedgerKey);
    return given;
  } catch (error) {
    throw usageFailure(`--key: ${error instanceof Error ? error.message : error}`);
  }
}
