import canonicalize from 'canonicalize';
import type { EventProof } from '../../domain/audit-ledger/batch.ts';
import { DAY_CLOSED, LEDGER_CLOSED } from '../../domain/audit-ledger/day-close.ts';
import { dayOf } from '../../domain/audit-ledger/days.ts';
import type { Hash } from '../../domain/audit-ledger/event.ts';
import { hashOfEvent, sha256 } from '../../domain/audit-ledger/hash.ts';
import { isOfItsTime, isSigned, type Receipt, receiptText } from '../../domain/audit-ledger/receipt.ts';
import { parseLedgerKey } from './ledger-key.ts';
import type { ProofCheck } from './proof-check.ts';
import type { ShownEvent } from './proof-documents.ts';

/** Whether a proof is about this event, and of the day it happened on. */
export function checkEvent(event: ShownEvent, { eventHash, batchId }: EventProof): ProofCheck {
  const failed = (text: string): ProofCheck => ({ check: 'event', outcome: 'failed', text });
  const shown = event.data !== undefined || event.metadata !== undefined;
  if (shown && payloadHashOf(event) !== event.payloadHash) {
    return failed(`data and metadata hash to ${payloadHashOf(event)}, and the event claims ${event.payloadHash}`);
  }
  // The hash of the payload takes the place of the payload.
  const hash = hashOfEvent({ ...event, payload: '' }, event.payloadHash);
  if (hash !== eventHash) return failed(`the event hashes to ${hash}, and the proof is of ${eventHash}`);
  if (dayOf(event.createdAt) !== batchId && !isClose(event)) {
    return failed(`the event is of ${dayOf(event.createdAt)}, and the batch of ${batchId}`);
  }
  const what = `${event.eventType} of ${event.entityId}, ${event.namespace} #${event.chainIndex}`;
  const text = `${what}, ${event.createdAt.toISOString()}${shown ? '' : ' (its content was not shown)'}`;
  return { check: 'event', outcome: 'passed', text };
}

/** The close of a day is written on a later one and belongs to the day it closes. */
function isClose({ eventType }: ShownEvent): boolean {
  return eventType === DAY_CLOSED || eventType === LEDGER_CLOSED;
}

function payloadHashOf({ data, metadata }: ShownEvent): Hash {
  return sha256(canonicalize({ data, metadata }) ?? '');
}

/**
 * Whether a receipt is of this event and signed by one of these keys, in its window. What none of them signed says nothing
 * of the event: the ledger may have had another key.
 */
export function checkReceipt(receipt: Receipt, eventHash: Hash, keys: readonly string[]): ProofCheck {
  const check = 'receipt';
  if (receipt.eventHash !== eventHash) {
    return { check, outcome: 'failed', text: `the receipt is of ${receipt.eventHash}, and the proof of ${eventHash}` };
  }
  const signature = Buffer.from(receipt.signature, 'base64');
  const [text, time] = [receiptText(receipt), new Date(receipt.createdAt)];
  const signed = keys.map(parseLedgerKey).some((key) => isOfItsTime(key, time) && isSigned(text, signature, key));
  if (!signed) {
    return { check, outcome: 'unknown', text: 'none of the keys given has signed the receipt, in its window' };
  }
  return { check, outcome: 'passed', text: `signed by the ledger at ${receipt.createdAt} (key ${receipt.keyId})` };
}
