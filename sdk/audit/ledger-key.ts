import { z } from 'zod';
import type { LedgerKey } from '../../domain/audit-ledger/receipt.ts';
import { FairleadError } from '../../domain/errors.ts';

/** A key as tools for signed notes take it (C2SP signed-note): name of the ledger, id, and key. */
const VERIFIER_KEY = /^(?<ledger>[^+\s]+)\+[0-9a-f]{8}\+(?<key>[A-Za-z0-9+/=]+)$/;

/** When the key signed, after it: `@<from>/<until>`, in ISO 8601, or `..` for an open end. */
const WINDOW = /^(?<key>.+)@(?<from>[^@/]+)\/(?<until>[^@/]+)$/;
const OPEN = '..';
const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const KEY_BYTES = 32;
const ED25519 = 0x01;

/**
 * A key of the ledger as GET /v1/keys shows it: `publicKey`, 32 bytes in base64, or `verifierKey`, which has the name of the
 * ledger with it. Checkpoints need the second: of the name that stands under a checkpoint nothing is signed, so somebody could
 * write another one, by which it would be of another chain. A retired key comes with its window, as GET /v1/keys shows it:
 * what is dated before or after counts as not signed. @throws VALIDATION_FAILED
 */
export function parseLedgerKey(given: string): LedgerKey {
  const { key: text = given, from = OPEN, until = OPEN } = WINDOW.exec(given)?.groups ?? {};
  const window = { from: endOfWindow(from), until: endOfWindow(until) };
  const { ledger = null, key = text } = VERIFIER_KEY.exec(text)?.groups ?? {};
  const bytes = Buffer.from(key, 'base64');
  const publicKey = ledger !== null && bytes[0] === ED25519 ? bytes.subarray(1) : bytes;
  if (z.base64().safeParse(key).success && publicKey.length === KEY_BYTES) {
    return { keyId: '', publicKey: publicKey.toString('base64'), ledger, ...window };
  }
  const message = '32 bytes in base64, or a verifier key such as audit.example.org+0123abcd+AQ…';
  throw new FairleadError('VALIDATION_FAILED', message);
}

function endOfWindow(text: string): Date | null {
  if (text === OPEN) return null;
  const { data } = moment.safeParse(text);
  if (data !== undefined) return data;
  throw new FairleadError(
    'VALIDATION_FAILED',
    'a window of a key is such as @2025-01-01T00:00:00Z/2026-01-01T00:00:00Z',
  );
}
