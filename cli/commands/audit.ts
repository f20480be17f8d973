import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import type { ProofCheck } from '../../sdk/audit/proof-check.ts';
import { parseEvent, parseProof, parseReceipt } from '../../sdk/audit/proof-documents.ts';
import { type ProofVerdict, verifyProof } from '../../sdk/audit/verify-proof.ts';
import { usageFailure } from '../cli-failure.ts';
import { exitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import type { Alone } from '../perform.ts';
import { printable, type Tone } from '../terminal/style.ts';

export interface VerifyOptions {
  readonly rpc: readonly string[];
  readonly contract?: string;
  readonly event?: string;
  readonly receipt?: string;
  readonly key: readonly string[];
}

const ADDRESS = /^0x[0-9a-f]{40}$/i;
/** A public key as the ledger's GET /v1/keys shows it, or as tools for signed notes take it (C2SP signed-note). */
const VERIFIER_KEY = /^[^+\s]+\+[0-9a-f]{8}\+(?<key>[A-Za-z0-9+/=]+)$/;
const KEY_BYTES = 32;
const ED25519 = 0x01;

const EXITS = { proven: 'ok', refuted: 'failed', undecided: 'undecided' } as const;
const MARKS: Record<ProofCheck['outcome'], readonly [mark: string, tone: Tone]> = {
  passed: ['✓', 'good'],
  failed: ['✗', 'bad'],
  unknown: ['?', 'warn'],
  warning: ['!', 'warn'],
};
const SENTENCES: Record<ProofVerdict['verdict'], readonly [sentence: string, tone: Tone]> = {
  proven: ['Proven: the event was in the ledger when this root was anchored, and has not changed since.', 'good'],
  refuted: ['Not proven: see the failed checks above.', 'bad'],
  undecided: ['Undecided: no check failed, but something that a proof needs is missing: see above.', 'warn'],
};

/**
 * `fairlead audit verify`: checks a proof with nothing but the nodes that are named. Exit 0 when it is proven, 1 when
 * something contradicts it, 7 when neither: a node could not be asked, there is one chain alone, or no contract was given.
 */
export async function verifyProofFile(alone: Alone, path: string, options: VerifyOptions): Promise<number> {
  const { contract, event, receipt, rpc, key } = options;
  if (contract !== undefined && !ADDRESS.test(contract)) throw usageFailure('--contract: 0x and 40 hex digits');
  if (receipt !== undefined && key.length === 0) {
    throw usageFailure('--receipt needs --key: only a key of the ledger can verify the signature.');
  }
  const result = await verifyProof({
    proof: parseProof(await readJson(path, alone)),
    rpcUrls: rpc,
    keys: key.map(publicKeyOf),
    ...(contract === undefined ? {} : { contract }),
    ...(event === undefined ? {} : { event: parseEvent(await readJson(event, alone)) }),
    ...(receipt === undefined ? {} : { receipt: parseReceipt(await readJson(receipt, alone)) }),
  });
  show(alone.output, result);
  return exitCode(EXITS[result.verdict]);
}

function show(output: Output, { verdict, checks }: ProofVerdict): void {
  output.document({ verdict, checks });
  if (output.quiet) {
    output.print(verdict);
    return;
  }
  for (const { check, outcome, text: line } of checks) {
    const [mark, tone] = MARKS[outcome];
    output.print(`${output.paint(tone, mark)} ${check.padEnd(9)}  ${printable(line)}`);
  }
  const [sentence, tone] = SENTENCES[verdict];
  output.print();
  output.print(output.paint(tone, sentence));
}

/** @throws CliFailure with exit `usage` */
async function readJson(path: string, { terminal, cwd }: Alone): Promise<unknown> {
  let content: string;
  try {
    content = path === '-' ? await text(terminal.stdin) : await readFile(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw usageFailure(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  try {
    return JSON.parse(content);
  } catch {
    throw usageFailure(`${path} is not JSON.`);
  }
}

/** 32 bytes in base64. @throws CliFailure with exit `usage` */
function publicKeyOf(given: string): string {
  const noted = VERIFIER_KEY.exec(given)?.groups?.key;
  const bytes = Buffer.from(noted ?? given, 'base64');
  const key = noted !== undefined && bytes[0] === ED25519 ? bytes.subarray(1) : bytes;
  if (z.base64().safeParse(noted ?? given).success && key.length === KEY_BYTES) return key.toString('base64');
  throw usageFailure('--key: 32 bytes in base64, or a verifier key such as audit.example.org+0123abcd+AQ…');
}
