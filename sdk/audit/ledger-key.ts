import { z } from 'zod';
import type { LedgerKey } from '../../domain/audit-ledger/receipt.ts';
import { FairleadError } from '../../domain/errors.ts';

/** A key as tools for signed notes take it (C2SP signed-note): name of the ledger, id, and key. */
const VERIFIER_KEY = /^(?<ledger>[^+\s]+)\+[0-9a-f]{8}\+(?<key>[A-Za-z0-9+/=]+)$/;
const KEY_BYTES = 32;
const ED25519 = 0x01;

/**
 * A key of the ledger as GET /v1/keys shows it: `publicKey`, 32 bytes in base64, or `verifierKey`, which has the name of the
 * ledger with it. Checkpoints need the second: of the name that stands under a checkpoint nothing is signed, so somebody could
 * write another one, by which it would be of another chain. @throws VALIDATION_FAILED
 */
export function parseLedgerKey(text: string): LedgerKey {
  const { ledger = null, key = text } = VERIFIER_KEY.exec(text)?.groups ?? {};
  const bytes = Buffer.from(key, 'base64');
  const publicKey = ledger !== null && bytes[0] === ED25519 ? bytes.subarray(1) : bytes;
  if (z.base64().safeParse(key).success && publicKey.length === KEY_BYTES) {
    return { keyId: '', publicKey: publicKey.toString('base64'), ledger };
  }
  const message = '32 bytes in base64, or a verifier key such as audit.example.org+0123abcd+AQ…';
  throw new FairleadError('VALIDATION_FAILED', message);
}
