import { z } from 'zod';
import { isCheckpointSigned } from '../../domain/audit-ledger/checkpoint.ts';
import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { dayOf } from '../../domain/audit-ledger/days.ts';
import { GENESIS_HASH, type Hash } from '../../domain/audit-ledger/event.ts';
import { isOfItsTime, isSigned, type Receipt, receiptText } from '../../domain/audit-ledger/receipt.ts';
import { FairleadError } from '../../domain/errors.ts';
import { parseLedgerKey } from './ledger-key.ts';
import type { ProofCheck } from './proof-check.ts';
import { parseReceipt, withoutEnvelope } from './proof-documents.ts';

/** What the ledger signed of a chain: a receipt, or a checkpoint. */
export interface SignedStatement {
  readonly kind: 'receipt' | 'checkpoint';
  /** Null for a checkpoint of the whole ledger. */
  readonly namespace: string | null;
  /** Events that the chain has at least by this statement; by a checkpoint, at its time, exactly. */
  readonly size: number;
  /** Of the event that it is about: the one of the receipt, or the last one of the checkpoint. */
  readonly eventHash: Hash;
  /** Hashes by chain index that it tells; −1 is before the first event. */
  readonly hashes: ReadonlyMap<number, Hash>;
  /** Of the event of a receipt; of a checkpoint, when the ledger looked. */
  readonly time: Date;
  readonly day: Day;
  /** For people. */
  readonly title: string;
  /** As it was signed, to be kept and checked again. */
  readonly document: unknown;
  /** @param keys see {@link parseLedgerKey} */
  isSignedBy(keys: readonly string[]): boolean;
}

/** A receipt, a checkpoint of GET /v1/checkpoints, or an answer that holds one of them. @throws VALIDATION_FAILED */
export function parseStatement(document: unknown): SignedStatement {
  const note = noteIn(withoutEnvelope(document));
  return note === null ? receiptStatement(parseReceipt(document)) : checkpointStatement(note);
}

const checkpointSchema = z.object({ note: z.string().max(10_000) });
const checkpointsSchema = z.object({ checkpoints: z.array(checkpointSchema) });

function noteIn(document: unknown): string | null {
  const list = checkpointsSchema.safeParse(document).data?.checkpoints;
  if (list !== undefined && list.length !== 1) {
    throw invalid(`There are ${list.length} checkpoints in it: give one, such as the answer for limit=1`);
  }
  return checkpointSchema.safeParse(list?.[0] ?? document).data?.note ?? null;
}

function receiptStatement(receipt: Receipt): SignedStatement {
  const { namespace, chainIndex, prevHash, eventHash, createdAt } = receipt;
  const time = new Date(createdAt);
  const signature = Buffer.from(receipt.signature, 'base64');
  return {
    kind: 'receipt',
    namespace,
    size: chainIndex + 1,
    eventHash,
    hashes: new Map([
      [chainIndex - 1, prevHash],
      [chainIndex, eventHash],
    ]),
    time,
    day: dayOf(time),
    title: `the receipt of ${namespace} #${chainIndex}, ${createdAt}`,
    document: receipt,
    isSignedBy: (keys) =>
      keys.map(parseLedgerKey).some((key) => isOfItsTime(key, time) && isSigned(receiptText(receipt), signature, key)),
  };
}

/** A signed note as `signCheckpoint` writes it; only what is in it counts, as nothing else was signed. */
const NOTE =
  /^(?<origin>[^\n]+)\n(?<size>\d{1,15})\n(?<head>[A-Za-z0-9+/]{43}=)\ntime (?<time>[^\n]+)\n\n— (?<ledger>[^\s]+) [A-Za-z0-9+/=]+\n$/;

function checkpointStatement(note: string): SignedStatement {
  const { origin = '', size = '', head = '', time = '', ledger = '' } = NOTE.exec(note)?.groups ?? {};
  const at = new Date(time);
  if (Number.isNaN(at.getTime()) || !(origin === ledger || origin.startsWith(`${ledger}/`))) {
    throw invalid('It is no checkpoint of an audit ledger');
  }
  const namespace = origin === ledger ? null : origin.slice(ledger.length + 1);
  const eventHash: Hash = `0x${Buffer.from(head, 'base64').toString('hex')}`;
  const checkpoint = { namespace, size: Number(size), head: eventHash, time: at, note };
  return {
    kind: 'checkpoint',
    namespace,
    size: checkpoint.size,
    eventHash,
    hashes: new Map([[checkpoint.size - 1, eventHash]]),
    time: at,
    day: dayOf(at),
    title: `the checkpoint of ${namespace ?? 'the whole ledger'} with ${size} events, ${time}`,
    document: { note },
    isSignedBy: (keys) => {
      const named = keys.map(parseLedgerKey).filter((key) => key.ledger === ledger);
      return isCheckpointSigned(checkpoint, ledger, named);
    },
  };
}

/** True where it names an event that can be looked for in a day. */
export function namesEvent({ namespace, eventHash }: SignedStatement): boolean {
  return namespace !== null && eventHash !== GENESIS_HASH;
}

/** Whether one of the keys signed it; what none signed is not the ledger's word, and says nothing about it. */
export function checkSignature(statement: SignedStatement, keys: readonly string[]): ProofCheck {
  const { kind: check, title } = statement;
  if (check === 'checkpoint' && keys.every((key) => parseLedgerKey(key).ledger == null)) {
    const text = `no key names its ledger: to verify ${title}, give the verifierKey that the ledger publishes`;
    return { check, outcome: 'unknown', text };
  }
  if (statement.isSignedBy(keys)) return { check, outcome: 'passed', text: `the ledger signed ${title}` };
  return { check, outcome: 'unknown', text: `none of the keys given has signed ${title}, in its window` };
}

function invalid(message: string): FairleadError {
  return new FairleadError('VALIDATION_FAILED', message);
}
