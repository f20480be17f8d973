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

/** How the fields of a header are written, as JSON: a time as `toISOString` does, without its quotes. */
export interface HeaderText {
  readonly time: (time: Date) => string;
  readonly emitter: (emitter: string) => string;
  readonly eventType: (eventType: string) => string;
  readonly namespace: (namespace: string) => string;
  readonly orgSlug: (orgSlug: string) => string;
}

const WRITTEN_ANEW: HeaderText = {
  time: (time) => time.toISOString(),
  emitter: JSON.stringify,
  eventType: JSON.stringify,
  namespace: JSON.stringify,
  orgSlug: JSON.stringify,
};

/**
 * The header in canonical JSON (RFC 8785), written out: its keys are known and sorted, and for well-formed strings and
 * safe integers `JSON.stringify` is canonical. Hashes hold no character that JSON escapes.
 */
export function headerOf(
  event: Omit<HashedFields, 'payload'>,
  payloadHash: Hash,
  text: HeaderText = WRITTEN_ANEW,
): string {
  return (
    `{"chainIndex":${event.chainIndex},"createdAt":"${text.time(event.createdAt)}"` +
    `,"emitter":${text.emitter(event.emitter)},"entityId":${JSON.stringify(event.entityId)}` +
    `,"eventType":${text.eventType(event.eventType)},"id":${JSON.stringify(event.id)}` +
    `,"namespace":${text.namespace(event.namespace)},"orgSlug":${text.orgSlug(event.orgSlug)}` +
    `,"payloadHash":"${payloadHash}","prevHash":"${event.prevHash}","version":1}`
  );
}

/** Writes the headers of many events in a row: what neighbours have in common is written once. */
export function createHeaderText(): HeaderText {
  return {
    time: createTimeText(),
    emitter: rememberLast(JSON.stringify),
    eventType: rememberLast(JSON.stringify),
    namespace: rememberLast(JSON.stringify),
    orgSlug: rememberLast(JSON.stringify),
  };
}

function rememberLast(write: (value: string) => string): (value: string) => string {
  let last: string | null = null;
  let text = '';
  return (value) => {
    if (value !== last) [last, text] = [value, write(value)];
    return text;
  };
}

/** Keeps what times have in common up to the second, which is most of the work of writing them. */
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
