import type { Anchor, Batch, RecordSignature } from './batch.ts';
import { endOfDay } from './days.ts';
import { isOfItsTime, isSigned, type LedgerKey, type LedgerSigner } from './receipt.ts';

type Unsigned<T> = Omit<T, 'signature'>;
type UnsignedBatch = Unsigned<Omit<Batch, 'anchors'>>;
/** What an anchor is of. */
type Anchored = Pick<Batch, 'id' | 'root'>;

/** @param ledger name of this ledger, which other ledgers with the same key do not have */
export async function signBatch(
  batch: UnsignedBatch,
  ledger: string,
  signer: LedgerSigner,
): Promise<Omit<Batch, 'anchors'>> {
  return { ...batch, signature: await sign(batchText(batch, ledger), signer) };
}

/** True for a batch as the ledger signed it after its day, with one of these keys, in the time of that key. */
export function isBatchSigned(batch: Batch, ledger: string, keys: readonly LedgerKey[]): boolean {
  if (batch.closedAt < endOfDay(batch.id)) return false;
  return isRecordSigned(batch.signature, batch.closedAt, keys, (key) => batchText(batch, key.ledger ?? ledger));
}

/** @param of the batch whose root stands there */
export async function signAnchor(
  anchor: Unsigned<Anchor>,
  of: Anchored,
  ledger: string,
  signer: LedgerSigner,
): Promise<Anchor> {
  return { ...anchor, signature: await sign(anchorText(anchor, of, ledger), signer) };
}

/** True for an anchor of that very root as the ledger signed it, with one of these keys, in the time of that key. */
export function isAnchorSigned(anchor: Anchor, of: Anchored, ledger: string, keys: readonly LedgerKey[]): boolean {
  return isRecordSigned(anchor.signature, anchor.confirmedAt, keys, (key) =>
    anchorText(anchor, of, key.ledger ?? ledger),
  );
}

/** Keys are sorted, and the type is that of nothing else which the ledger signs. */
function batchText({ id, root, leafCount, chainIds, closedAt }: UnsignedBatch, ledger: string): string {
  return JSON.stringify({ chainIds, closedAt, day: id, leafCount, ledger, root, type: 'fairlead.batch', version: 1 });
}

function anchorText(anchor: Unsigned<Anchor>, { id, root }: Anchored, ledger: string): string {
  const { blockHash, blockNumber, chainId, confirmedAt, contract, explorerUrl, txHash } = anchor;
  const place = { blockHash, blockNumber, chainId, confirmedAt, contract: contract.toLowerCase() };
  return JSON.stringify({ ...place, day: id, explorerUrl, ledger, root, txHash, type: 'fairlead.anchor', version: 1 });
}

async function sign(text: string, signer: LedgerSigner): Promise<RecordSignature> {
  return { keyId: signer.keyId, signature: Buffer.from(await signer.sign(text)).toString('base64') };
}

function isRecordSigned(
  signature: RecordSignature | undefined,
  time: Date,
  keys: readonly LedgerKey[],
  textFor: (key: LedgerKey) => string,
): boolean {
  if (signature === undefined) return false;
  const bytes = Buffer.from(signature.signature, 'base64');
  const candidates = keys.filter((key) => key.keyId === signature.keyId && isOfItsTime(key, time));
  return candidates.some((key) => isSigned(textFor(key), bytes, key));
}
