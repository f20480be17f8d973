import { FairleadError, isRetryable } from '../../domain/errors.ts';
import { type Channel, type Delivery, waitsInQuiet } from '../../domain/notifications/notification.ts';
import { orgOfPage } from '../../domain/notifications/page-audience.ts';
import type { ChannelStore, DeliveryStore, NoticeSender } from '../../domain/notifications/ports.ts';
import { quietUntil } from '../../domain/notifications/quiet-hours.ts';
import type { InDeliveryPlace } from './delivery-places.ts';
import { inTime, problemOf } from './retry-times.ts';
import type { SendToPage } from './send-to-page.ts';
import type { TakeMail } from './take-mail.ts';
import { MOST_HELD } from './tell-digest.ts';

export interface SendNoticeDeps {
  readonly channels: Pick<ChannelStore, 'find'>;
  readonly deliveries: Pick<DeliveryStore, 'find' | 'note' | 'hold' | 'countHeld' | 'endHeld'>;
  readonly sender: NoticeSender;
  readonly inPlace: InDeliveryPlace;
  readonly takeMail: TakeMail;
  readonly sendToPage: SendToPage;
  /** The number of this attempt, the first is 1, those that found no place or had to wait for their hour included. */
  readonly attemptOf: () => number;
  readonly now: () => Date;
}

export interface SendJob {
  readonly id: string;
  /** A person asks for it: it waits for nothing. */
  readonly again: boolean;
}

/**
 * Makes one attempt of a delivery, or has it wait for the end of the quiet hours of its channel: once, whatever comes then.
 * Idempotent: one that was delivered is not sent again, and receivers know a repeat by its id.
 * @returns until when it waits, ISO; null for one that was sent
 * @throws UNAVAILABLE (retryable) when the receiver did not take it, or too many of its org or receiver are under way
 */
export async function sendNotice(
  deps: SendNoticeDeps,
  { id, again }: SendJob,
  signal: AbortSignal,
): Promise<string | null> {
  const { channels, deliveries } = deps;
  const delivery = await deliveries.find(id);
  if (delivery === null) throw new FairleadError('DELIVERY_NOT_FOUND', `There is no delivery ${id}`);
  if (delivery.state === 'delivered') {
    await endCovered(deps, delivery);
    return null;
  }
  if (orgOfPage(delivery.org) !== null) {
    await deps.sendToPage(delivery, signal);
    return null;
  }
  // Another attempt: the answer of the one that had it wait was lost.
  if (delivery.state === 'held' && delivery.heldUntil !== undefined && !again) return delivery.heldUntil.toISOString();
  const channel = await channels.find(delivery.channelId);
  if (channel === null) throw new FairleadError('CHANNEL_NOT_FOUND', 'The channel was removed meanwhile');
  requireWanted(channel, delivery);
  // Once: a digest has waited as well.
  const hasWaited = again || delivery.heldUntil !== undefined || delivery.covers !== undefined;
  const until = hasWaited ? null : heldUntil(deps, channel, delivery);
  if (until !== null) {
    await hold(deps, channel, delivery, until);
    return until.toISOString();
  }
  await deps.inPlace(channel, () => attempt(deps, channel, delivery, signal));
  await endCovered(deps, delivery);
  return null;
}

/** The end of the quiet hours that a delivery waits for; null for one that does not. */
function heldUntil(
  { now }: Pick<SendNoticeDeps, 'now'>,
  { quiet = null }: Channel,
  { notification }: Delivery,
): Date | null {
  return quiet !== null && waitsInQuiet(notification, quiet) ? quietUntil(quiet, now()) : null;
}

/** @throws CONFLICT for one more than {@link MOST_HELD} */
async function hold({ deliveries }: SendNoticeDeps, channel: Channel, { id }: Delivery, until: Date): Promise<void> {
  if ((await deliveries.countHeld(channel, until, MOST_HELD)) >= MOST_HELD) {
    throw new FairleadError('CONFLICT', `${MOST_HELD} notices wait for the end of these quiet hours already`);
  }
  await deliveries.hold(id, until);
}

/** What a digest has told is delivered by it. Idempotent: also where the worker died after it was sent. */
async function endCovered({ deliveries, now }: SendNoticeDeps, { covers = [] }: Delivery): Promise<void> {
  await deliveries.endHeld(covers, { state: 'delivered', lastProblem: null, endedAt: now() });
}

/** Who has not said yet that it wants mail gets one that asks, and nothing else. */
function requireWanted({ state }: Channel, { notification: { kind } }: Delivery): void {
  if (state === 'active' || (state === 'unconfirmed' && kind === 'channel.confirm')) return;
  const why = state === 'stopped' ? 'Its receiver has stopped the channel' : 'The address is not confirmed';
  throw new FairleadError('CONFLICT', why);
}

async function attempt(deps: SendNoticeDeps, channel: Channel, delivery: Delivery, signal: AbortSignal): Promise<void> {
  const { deliveries, sender, takeMail, now } = deps;
  const attempts = delivery.attempts + 1;
  if (!isMuted(delivery)) {
    const note = (error: unknown, counted: number) =>
      deliveries.note(delivery.id, { attempts: counted, lastProblem: problemOf(error) });
    const isMail = channel.target.kind === 'mail';
    const giveBack = isMail
      ? await orNoted(
          () => takeMail(channel.org),
          (error) => note(error, delivery.attempts),
        )
      : null;
    try {
      await sender.send(channel, delivery, signal);
    } catch (error) {
      // What was refused for good went as far as a mail does.
      if (isRetryable(error)) await giveBack?.();
      signal.throwIfAborted();
      await note(error, attempts);
      throw inTime(error, Math.min(attempts, deps.attemptOf()));
    }
  }
  await deliveries.note(delivery.id, { state: 'delivered', attempts, lastProblem: null, endedAt: now() });
}

async function orNoted<T>(work: () => Promise<T>, note: (error: unknown) => Promise<void>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await note(error);
    throw error;
  }
}

/** Its address had as many such mails as it may have in a day. Whoever added the channel sees no difference. */
function isMuted({ notification: { kind, data } }: Delivery): boolean {
  return kind === 'channel.confirm' && data.isMuted === true;
}
