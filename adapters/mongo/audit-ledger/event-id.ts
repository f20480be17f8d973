import { hash } from 'node:crypto';
import { formatId, type NewId } from '../../../domain/ids.ts';

/**
 * Id of the event under an idempotency key. It follows from the key, so that the primary key of the collection keeps a
 * second event under it out, whichever process it comes through, and no further index is needed.
 */
export function idOfKey(owner: { namespace: string; emitter: string; key: string }): string {
  const text = JSON.stringify([owner.namespace, owner.emitter, owner.key]);
  return formatId('event', hash('sha256', text, 'buffer'));
}

const DIGIT_BITS = 5;
const TIME_DIGITS = 9;
const SEQUENCE_DIGITS = 2;
const RANDOM_DIGITS = 9;

/** Every number that goes on, written out. */
const SEQUENCES = Array.from({ length: 2 ** (SEQUENCE_DIGITS * DIGIT_BITS) }, (_, number) =>
  formatId('event', Uint8Array.from(digitsOf(number, SEQUENCE_DIGITS))).slice(-SEQUENCE_DIGITS),
);

/**
 * Makes ids that grow with time: milliseconds, a number that goes on, then 45 random bits. The primary key's index is then
 * written at its end, where random ids would touch another page of it for every event.
 */
export function createEventIds(newId: NewId): (time: Date) => string {
  let sequence = 0;
  let millisecond = Number.NaN;
  let timePart = '';
  return (time) => {
    if (time.getTime() !== millisecond) {
      millisecond = time.getTime();
      timePart = formatId('event', Uint8Array.from(digitsOf(millisecond, TIME_DIGITS)));
    }
    sequence = (sequence + 1) % SEQUENCES.length;
    return timePart + SEQUENCES[sequence] + newId('event').slice(-RANDOM_DIGITS);
  };
}

/** The lowest digits of a number to the base of ids, the highest first. */
function digitsOf(value: number, count: number): number[] {
  const base = 2 ** DIGIT_BITS;
  return Array.from({ length: count }, (_, index) => Math.floor(value / base ** (count - 1 - index)) % base);
}
