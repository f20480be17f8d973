import { createHash } from 'node:crypto';
import { FairleadError } from '../../domain/errors.ts';
import { CONFIRM_HOURS, MOST_CONFIRMATIONS } from '../../domain/notifications/channel-address.ts';
import { confirmNotice } from '../../domain/notifications/confirm-notice.ts';
import type { Channel, Confirmation } from '../../domain/notifications/notification.ts';
import { deliveryId, putDeliveries } from '../../domain/notifications/put-deliveries.ts';
import type { NotificationsDeps } from './deps.ts';

const HOUR_MS = 3_600_000;

export function newConfirmation({ links, now }: Pick<NotificationsDeps, 'links' | 'now'>, id: string): Confirmation {
  return { ...links.newConfirmation(id), expiresAt: new Date(now().getTime() + CONFIRM_HOURS * HOUR_MS) };
}

/**
 * Adds a channel, and mails its address a link where it has one to confirm. Its place is taken first, and it is told nothing
 * until it is recorded: what is refused is not on record, and what cannot be recorded is not added. An address that has been asked
 * as often as it may be is not asked again. The answer and the record of the delivery are the same: they say nothing of what others
 * do with it.
 * @param record records that it is added
 * @throws CONFLICT when the org has too many channels; RATE_LIMITED when it has asked as many addresses today as it may, or this one
 *   as often; UNAVAILABLE when it cannot be recorded, or the mail cannot be sent on its way: then no channel was added
 */
export async function addChannel(
  deps: NotificationsDeps,
  channel: Channel,
  record: () => Promise<void>,
): Promise<void> {
  const { channels } = deps;
  await channels.insert({ ...channel, state: 'unconfirmed' });
  try {
    const ask = await confirming(deps, channel);
    await record();
    await (ask === null ? channels.activate(channel.id) : ask());
  } catch (error) {
    // Nobody is told there, nor asked: whoever hears of it adds the channel once more.
    await channels.remove(channel.id);
    throw error;
  }
}

/** What asks the address of a channel; null of one that has none to confirm. @throws RATE_LIMITED */
async function confirming(deps: NotificationsDeps, channel: Channel): Promise<(() => Promise<void>) | null> {
  const { confirmation, target, org } = channel;
  if (confirmation === null || target.kind !== 'mail') return null;
  const at = deps.now();
  const isAsked = await countQuestion(deps, org, digest(target.to), at);
  const notice = confirmNotice(channel, confirmation, { at, platformName: deps.platformName, isMuted: !isAsked });
  return async () => {
    try {
      await putDeliveries({ ...deps, commands: deps.deliveryCommands }, [channel], [notice]);
    } catch (error) {
      const lastProblem = 'It could not be sent on its way';
      await deps.deliveries.note(deliveryId(notice, channel), { state: 'dead', lastProblem, endedAt: at });
      throw error;
    }
  };
}

/**
 * Counts the mail that asks an address. @returns false where others have had it asked as often as it may be
 * @throws RATE_LIMITED when the org has had its own
 */
async function countQuestion(
  { mailCounts }: Pick<NotificationsDeps, 'mailCounts'>,
  org: string | null,
  address: string,
  at: Date,
): Promise<boolean> {
  const day = at.toISOString().slice(0, 10);
  const tomorrow = (most: string) => new FairleadError('RATE_LIMITED', `${most}: add the next one tomorrow (UTC)`);
  const own = `address/${org ?? ''}/${address}`;
  const isFirst = await mailCounts.take(`${own}/first`, day, 1);
  if (!isFirst && !(await mailCounts.take(own, day, MOST_CONFIRMATIONS.ofOrgToAddress - 1))) {
    throw tomorrow(`An org has one address asked ${MOST_CONFIRMATIONS.ofOrgToAddress} times a day`);
  }
  if (!(await mailCounts.take(`org/${org ?? ''}`, day, MOST_CONFIRMATIONS.org))) {
    throw tomorrow(`${MOST_CONFIRMATIONS.org} addresses a day are asked for an org`);
  }
  const isWithin = await mailCounts.take(`address/${address}`, day, MOST_CONFIRMATIONS.address);
  return isFirst || isWithin;
}

/** What is counted is no list of addresses. */
function digest(address: string): string {
  return createHash('sha256').update(address).digest('hex');
}
