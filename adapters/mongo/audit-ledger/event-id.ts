import { createHash } from 'node:crypto';
import { formatId, type NewId } from '../../../domain/ids.ts';

/**
 * Id of the event under an idempotency key. It follows from the key, so that the primary key of the collection keeps a
 * second event under it out, whichever process it comes through, and no further index is needed.
 */
export function idOfKey(owner: { namespace: string; emitter: string; key: string }): string {
  const text = JSON.stringify([owner.namespace, owner.emitter, owner.key]);
  return formatId('event', createHash('sha256').update(text).digest());
}

const DIGIT_BITS = 5;
const TIME_DIGITS = 9;
const SEQUENCE_DIGITS = 3;
const RANDOM_DIGITS = 8;

/**
 * Makes ids that grow with time: milliseconds, a number that goes on, then 40 random bits. The primary key's index is then
 * written at its end, where random ids would touch another page of it for every event.
 */
export function createEventIds(newId: NewId): (time: Date) => string {
  let sequence = 0;
  return (time) => {
    sequence = (sequence + 1) % 2 ** (SEQUENCE_DIGITS * DIGIT_BITS);
    const digits = [...digitsOf(time.getTime(), TIME_DIGITS), ...digitsOf(sequence, SEQUENCE_DIGITS)];
    const ordered = formatId('event', Uint8Array.from(digits));
    return ordered + newId('event').slice(-RANDOM_DIGITS);
  };
}

/** The lowest digits of a number to the base of ids, the highest first. */
function digitsOf(value: number, count: number): number[] {
  const base = 2 ** DIGIT_BITS;
  return Array.from({ length: count }, (_, index) => Math.floor(value / base ** (count - 1 - index)) % base);
}
