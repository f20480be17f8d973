import { createHash } from 'node:crypto';
import type { ChainHead, Hash } from './event.ts';
import { isOfItsTime, isSigned, type LedgerKey, type LedgerSigner } from './receipt.ts';

/**
 * The ledger's signed word how long a chain was at a time and what its head was. Kept elsewhere it shows that events were
 * cut off later, and two that differ show that the ledger told different people different histories.
 */
export interface Checkpoint {
  /** Null for the whole ledger. */
  readonly namespace: string | null;
  /** Events of the namespace; of the whole ledger: events of all namespaces. */
  readonly size: number;
  /** Hash of the namespace's last event; of the whole ledger: {@link rootOfHeads}. */
  readonly head: Hash;
  readonly time: Date;
  /** Signed note (C2SP signed-note, tlog-checkpoint): anyone's tools for transparency logs read it. */
  readonly note: string;
}

export type UnsignedCheckpoint = Omit<Checkpoint, 'note'>;

/** A namespace and where its chain ended. */
export interface NamespaceHead extends Pick<ChainHead, 'chainIndex' | 'eventHash'> {
  readonly namespace: string;
}

export interface CheckpointStore {
  /** Keeps a checkpoint; one of that namespace and time that is there already stays. */
  insert(checkpoint: Checkpoint): Promise<void>;
  /** Newest first, up to `limit`. */
  newest(namespace: string | null, limit: number): Promise<readonly Checkpoint[]>;
  /** All of a namespace, or those of times in `[from, to]`, oldest first, in bounded memory. */
  stream(namespace: string, times?: { readonly from: Date; readonly to: Date }): AsyncIterable<Checkpoint>;
}

/**
 * How far from the time it bears a checkpoint may look at its chain: less than the hour between two, so that a later one
 * never tells of fewer events.
 */
export const CHECKPOINT_LATENESS_MS = 55 * 60_000;

const ED25519 = 0x01;

/** Name of the ledger at an address: the address without its scheme, as tlog-checkpoint has origins. */
export function ledgerNameOf(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/+$/, '');
}

/**
 * Signs a checkpoint. Its body is the origin, the size and the head in base64, as tlog-checkpoint has them, and the time as
 * an extension line. The head of a namespace is the end of a hash chain and not the root of RFC 6962: the origin, one for
 * each chain, says which it is.
 * @param ledger name of this ledger, such as `audit.example.org`: the name of the key and the start of every origin
 */
export async function signCheckpoint(
  checkpoint: UnsignedCheckpoint,
  ledger: string,
  signer: LedgerSigner,
): Promise<Checkpoint> {
  const text = checkpointText(checkpoint, ledger);
  const key = currentKey(signer);
  const signature = Buffer.concat([noteKeyId(ledger, key), await signer.sign(text)]).toString('base64');
  return { ...checkpoint, note: `${text}\n— ${ledger} ${signature}\n` };
}

/** True when the note says what the checkpoint says, and one of these keys has signed it, in its time and under its name. */
export function isCheckpointSigned(checkpoint: Checkpoint, ledger: string, keys: readonly LedgerKey[]): boolean {
  return keys.some((key) => isOfItsTime(key, checkpoint.time) && isNoteSigned(checkpoint, key.ledger ?? ledger, key));
}

function isNoteSigned(checkpoint: Checkpoint, ledger: string, key: LedgerKey): boolean {
  const text = checkpointText(checkpoint, ledger);
  const prefix = `${text}\n— ${ledger} `;
  if (!checkpoint.note.startsWith(prefix) || !checkpoint.note.endsWith('\n')) return false;
  const signed = Buffer.from(checkpoint.note.slice(prefix.length, -1), 'base64');
  return noteKeyId(ledger, key).equals(signed.subarray(0, 4)) && isSigned(text, signed.subarray(4), key);
}

export function checkpointText({ namespace, size, head, time }: UnsignedCheckpoint, ledger: string): string {
  const origin = namespace === null ? ledger : `${ledger}/${namespace}`;
  const hash = Buffer.from(head.slice(2), 'hex').toString('base64');
  return `${origin}\n${size}\n${hash}\ntime ${time.toISOString()}\n`;
}

/** A key as tools for signed notes take it: name, id and key. @param current name of the ledger now */
export function verifierKey(current: string, key: LedgerKey): string {
  const ledger = key.ledger ?? current;
  const bytes = Buffer.concat([Buffer.of(ED25519), Buffer.from(key.publicKey, 'base64')]);
  return `${ledger}+${noteKeyId(ledger, key).toString('hex')}+${bytes.toString('base64')}`;
}

/**
 * Root of the Merkle tree (RFC 6962, 2.1) over the heads of all namespaces, ordered by name; leaf data is
 * `namespace\nsize\nhead\n`.
 */
export function rootOfHeads(heads: readonly NamespaceHead[]): Hash {
  const leaves = heads
    .toSorted((left, right) => (left.namespace < right.namespace ? -1 : 1))
    .map(({ namespace, chainIndex, eventHash }) => digest(0x00, `${namespace}\n${chainIndex + 1}\n${eventHash}\n`));
  return `0x${treeHash(leaves).toString('hex')}`;
}

function treeHash(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return createHash('sha256').digest();
  if (leaves.length === 1) return only;
  // The left part is the largest power of two that leaves something for the right.
  const split = 2 ** (31 - Math.clz32(leaves.length - 1));
  return digest(0x01, treeHash(leaves.slice(0, split)), treeHash(leaves.slice(split)));
}

function digest(prefix: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const hash = createHash('sha256').update(Buffer.of(prefix));
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** First four bytes of SHA-256 over name, newline, type and key (C2SP signed-note). */
function noteKeyId(name: string, { publicKey }: LedgerKey): Buffer {
  return createHash('sha256')
    .update(`${name}\n`)
    .update(Buffer.of(ED25519))
    .update(Buffer.from(publicKey, 'base64'))
    .digest()
    .subarray(0, 4);
}

function currentKey({ keys, keyId }: LedgerSigner): LedgerKey {
  const key = keys.find((candidate) => candidate.keyId === keyId);
  if (key === undefined) throw new RangeError('the key that signs is not among those published');
  return key;
}
