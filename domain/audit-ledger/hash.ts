import { hash } from 'node:crypto';
import type { Hash, LedgerEvent } from './event.ts';

/** Fields that an event's hash covers; its payload by the payload's own hash. */
export type HashedFields = Omit<LedgerEvent, 'eventHash' | 'idempotency'>;

/** SHA-256 of the UTF-8 bytes of a text. */
export function sha256(text: string): Hash {
  return `0x${hash('sha256', text, 'hex')}`;
}

/**
 * Hash of an event (see {@link LedgerEvent}). It needs no payload when the payload's hash is given: an event can so be
 * proven by somebody who must not see what happened.
 */
export function hashOfEvent(event: HashedFields, payloadHash: Hash = sha256(event.payload)): Hash {
  return sha256(headerOf(event, payloadHash));
}

/**
 * The header in canonical JSON (RFC 8785), written out: its keys are known and sorted, and for well-formed strings and
 * safe integers `JSON.stringify` is canonical. Hashes hold no character that JSON escapes.
 */
export function headerOf(
  event: Omit<HashedFields, 'payload'>,
  payloadHash: Hash,
  createdAt: string = event.createdAt.toISOString(),
): string {
  return (
    `{"chainIndex":${event.chainIndex},"createdAt":"${createdAt}"` +
    `,"emitter":${JSON.stringify(event.emitter)},"entityId":${JSON.stringify(event.entityId)}` +
    `,"eventType":${JSON.stringify(event.eventType)},"id":${JSON.stringify(event.id)}` +
    `,"namespace":${JSON.stringify(event.namespace)},"orgSlug":${JSON.stringify(event.orgSlug)}` +
    `,"payloadHash":"${payloadHash}","prevHash":"${event.prevHash}","version":1}`
  );
}

/**
 * Writes times as `toISOString` does, for many in a row: what they have in common up to the second is kept, which is most
 * of the work.
 */
export function createTimeText(): (time: Date) => string {
  let second = Number.NaN;
  let prefix = '';
  return (time) => {
    const ms = time.getTime();
    const rest = ms % 1000;
    if (!(rest >= 0)) return time.toISOString();
    if (ms - rest !== second) {
      prefix = time.toISOString().slice(0, -4);
      second = ms - rest;
    }
    return `${prefix}${rest < 100 ? (rest < 10 ? '00' : '0') : ''}${rest}Z`;
  };
}
