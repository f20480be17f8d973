import { CONFIRM_HOURS } from './channel-address.ts';
import type { Confirmation } from './notification.ts';

/** `pending`: nobody has said yet that the address wants mail. One that wants no more is not on record. */
export const SUBSCRIBER_STATES = ['pending', 'confirmed'] as const;

/** A mail address that reads the status page of an org. */
export interface Subscriber {
  /** `sub_…` */
  readonly id: string;
  /** Whose page it is. */
  readonly org: string;
  /** As `normalizeEmail` writes it: one a page. */
  readonly address: string;
  readonly state: (typeof SUBSCRIBER_STATES)[number];
  /** Null once it was used. */
  readonly confirmation: Confirmation | null;
  /** The request that its newest link answers. */
  readonly askedBy: string;
  readonly confirmedAt: Date | null;
}

/** Somebody wants updates sent to an address. */
export interface SubscribeRequest {
  readonly id: string;
  readonly org: string;
  readonly address: string;
  readonly at: Date;
}

/** When an address was asked whether it wants mail, on all pages. */
export interface Questions {
  /** The request that was the newest reason. */
  readonly askedBy: string;
  /** Newest first; at most {@link MOST_QUESTIONS}. */
  readonly times: readonly Date[];
}

/** Mails in 24 hours that ask one address. */
export const MOST_QUESTIONS = 4;
const HOUR_MS = 3_600_000;

/**
 * Counts a mail that asks an address: one an hour, and {@link MOST_QUESTIONS} in 24 hours. Another attempt for the same request is
 * that mail once more. @returns what is on record then; null where it is not asked
 */
export function nextQuestion(
  known: Questions | null,
  { id, at }: Pick<SubscribeRequest, 'id' | 'at'>,
): Questions | null {
  if (known === null) return { askedBy: id, times: [at] };
  if (known.askedBy === id) return known;
  const recent = known.times.filter((time) => at.getTime() - time.getTime() < 24 * HOUR_MS);
  const isRecent = recent.some((time) => at.getTime() - time.getTime() < HOUR_MS);
  if (isRecent || recent.length >= MOST_QUESTIONS) return null;
  return { askedBy: id, times: [at, ...recent] };
}

/** Whose questions are counted together: what follows a + in an address leads to the same mailbox with most mail servers. */
export function mailboxOf(address: string): string {
  return address.replace(/\+[^@]*(?=@[^@]*$)/, '');
}

/** Whether a link of so many hours still works. */
export function isOpen(confirmation: Confirmation | null, at: Date): confirmation is Confirmation {
  return confirmation !== null && confirmation.expiresAt > at;
}

/**
 * What a request does to the subscriber that is on record of its page and address. `ask`: with a new link, and the one before works no
 * more. `askAgain`: with the same link, for it is another attempt. `pass`: nothing.
 */
export function subscribing(
  known: Pick<Subscriber, 'state' | 'askedBy'> | null,
  requestId: string,
): 'ask' | 'askAgain' | 'pass' {
  if (known === null) return 'ask';
  if (known.state === 'confirmed') return 'pass';
  return known.askedBy === requestId ? 'askAgain' : 'ask';
}

export const linkExpiry = (at: Date): Date => new Date(at.getTime() + CONFIRM_HOURS * HOUR_MS);
