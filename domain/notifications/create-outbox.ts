import { WOKEN_WITHIN_MS } from './gather.ts';
import type { DeliveryCommands } from './messages.ts';
import { isGathered, type Notification } from './notification.ts';
import type { AudienceList, DeliveryStore, NoticeStore, Outbox } from './ports.ts';
import { putDeliveries } from './put-deliveries.ts';

export interface OutboxDeps {
  readonly channels: AudienceList;
  readonly deliveries: Pick<DeliveryStore, 'insert' | 'find' | 'countPending'>;
  readonly notices: Pick<NoticeStore, 'insert' | 'isAnyWaiting' | 'firstWaiting'>;
  readonly commands: Pick<DeliveryCommands, 'deliver' | 'gather'>;
  readonly now: () => Date;
}

/**
 * An outbox that brings notices to every channel of their org: kinds that are gathered in groups, others at once.
 * Idempotent: a notice that waits, or waited, is found by its id; a delivery by the notice and the channel.
 */
export function createOutbox(options: OutboxDeps): Outbox {
  const deps: Telling = { ...options, wokenAt: new Map() };
  return {
    tell: (notification) => tellOrg(deps, notification.org, [notification]),
    async tellAll(notifications) {
      const orgs = new Set(notifications.map(({ org }) => org));
      for (const org of orgs) {
        const own = notifications.filter((notification) => notification.org === org);
        await tellOrg(deps, org, own);
      }
    },
  };
}

interface Telling extends OutboxDeps {
  /** By org, when this outbox has woken what tells it last. */
  readonly wokenAt: Map<string | null, Date>;
}

async function tellOrg(deps: Telling, org: string | null, notices: readonly Notification[]): Promise<void> {
  const channels = (await deps.channels.list(org)).filter(({ state }) => state === 'active');
  if (channels.length === 0) return;
  await gather(deps, org, notices.filter(isGathered));
  const others = notices.filter((notice) => !isGathered(notice));
  await putDeliveries(deps, channels, others);
}

/**
 * The first one that waits wakes what tells them, and no other: thousands may come at once. It looks once more whether
 * something waits before it ends, so whoever sees an earlier one wait is told with that one, or with the next group.
 */
async function gather(
  { notices, commands, now, wokenAt }: Telling,
  org: string | null,
  gathered: readonly Notification[],
) {
  if (gathered.length === 0) return;
  const at = now();
  const ids = gathered.map(({ id }) => id);
  await notices.insert(gathered, at);
  // An incident tells what was announced of it once more.
  if (!(await notices.isAnyWaiting(ids))) return;
  const first = await notices.firstWaiting(org);
  if (first !== null && !ids.includes(first.id) && isWoken(first.createdAt, { at, wokenAt: wokenAt.get(org) })) return;
  await commands.gather(org);
  wokenAt.set(org, at);
}

/**
 * Whether what tells an org is awake, by the first notice that waits of it. Whoever put that one there wakes it at once, and
 * tries again where that failed. After {@link WOKEN_WITHIN_MS} that is not believed any more, whatever came since: then it is
 * woken once more, as often.
 */
function isWoken(firstAt: Date, { at, wokenAt }: { readonly at: Date; readonly wokenAt: Date | undefined }): boolean {
  const isRecent = (then: Date): boolean => at.getTime() - then.getTime() < WOKEN_WITHIN_MS;
  return isRecent(firstAt) || (wokenAt !== undefined && wokenAt >= firstAt && isRecent(wokenAt));
}
