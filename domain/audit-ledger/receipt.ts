import { createPublicKey, verify } from 'node:crypto';
import type { Hash, LedgerEvent } from './event.ts';
import { createTimeText } from './hash.ts';

/**
 * The ledger's signed word that an event stands at an index of a chain, given with every emit. Whoever keeps it can show
 * later that the event was cut off, or that another was put in its place, without having to trust the ledger.
 */
export interface Receipt {
  readonly version: 1;
  readonly eventId: string;
  readonly namespace: string;
  readonly chainIndex: number;
  readonly prevHash: Hash;
  /** With the event it was the head of its chain. */
  readonly eventHash: Hash;
  /** ISO 8601, UTC, milliseconds. */
  readonly createdAt: string;
  /** Names the ledger's key. */
  readonly keyId: string;
  /** Ed25519 (RFC 8032) over {@link receiptText}, in base64. */
  readonly signature: string;
}

/** A key of the ledger as it is published. */
export interface LedgerKey {
  readonly keyId: string;
  /** Ed25519 public key: 32 bytes in base64. */
  readonly publicKey: string;
  /** Name of the ledger while it signed with the key, where it has another now. */
  readonly ledger?: string | null;
  /** What is dated before or after counts as not signed: a key that leaks after it was retired dates nothing back to now. */
  readonly from?: Date | null;
  readonly until?: Date | null;
}

/** Signs for the ledger. */
export interface LedgerSigner {
  readonly keyId: string;
  /** All that receipts and checkpoints may be signed with, the current one first. */
  readonly keys: readonly LedgerKey[];
  /** Ed25519 signature of 64 bytes. */
  sign(text: string): Promise<Uint8Array>;
  /** The same of each text, in their order; many at once take less of the process's time this way. */
  signAll(texts: readonly string[]): Promise<readonly Uint8Array[]>;
}

export async function signReceipt(event: LedgerEvent, signer: LedgerSigner): Promise<Receipt> {
  const fields = receiptFields(event, signer.keyId);
  return signed(fields, await signer.sign(receiptText(fields)));
}

/** A receipt for each event, in their order. */
export async function signReceipts(events: readonly LedgerEvent[], signer: LedgerSigner): Promise<readonly Receipt[]> {
  const timeText = createTimeText();
  const receipts = events.map((event) => receiptFields(event, signer.keyId, timeText(event.createdAt)));
  const signatures = await signer.signAll(receipts.map(receiptText));
  return receipts.map((fields, index) => signed(fields, signatures[index] ?? new Uint8Array()));
}

function signed(fields: Omit<Receipt, 'signature'>, signature: Uint8Array): Receipt {
  return { ...fields, signature: Buffer.from(signature).toString('base64') };
}

export function receiptFields(
  event: LedgerEvent,
  keyId: string,
  createdAt: string = event.createdAt.toISOString(),
): Omit<Receipt, 'signature'> {
  const { id, namespace, chainIndex, prevHash, eventHash } = event;
  return { version: 1, eventId: id, namespace, chainIndex, prevHash, eventHash, createdAt, keyId };
}

/** What is signed: the receipt without its signature in canonical JSON (RFC 8785), its keys sorted. */
export function receiptText(receipt: Omit<Receipt, 'signature'>): string {
  const { chainIndex, createdAt, eventHash, eventId, keyId, namespace, prevHash, version } = receipt;
  return JSON.stringify({ chainIndex, createdAt, eventHash, eventId, keyId, namespace, prevHash, version });
}

/** True for a receipt that one of these keys has signed. */
export function isReceiptSigned(receipt: Receipt, keys: readonly LedgerKey[]): boolean {
  const time = new Date(receipt.createdAt);
  const candidates = keys.filter((key) => key.keyId === receipt.keyId && isOfItsTime(key, time));
  return candidates.some((key) => isSigned(receiptText(receipt), Buffer.from(receipt.signature, 'base64'), key));
}

/** True for a time in the window of a key, its start and end included. */
export function isOfItsTime({ from = null, until = null }: LedgerKey, time: Date): boolean {
  return (from === null || time >= from) && (until === null || time <= until);
}

/** True for an Ed25519 signature of the text by the key. */
export function isSigned(text: string, signature: Uint8Array, { publicKey }: LedgerKey): boolean {
  const x = Buffer.from(publicKey, 'base64').toString('base64url');
  const key = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  return verify(null, Buffer.from(text), key, signature);
}
