import { timeAndId } from '../../../adapters/mongo/cursor.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type EscalationPolicies, NO_POLICIES } from '../../../domain/notifications/escalation.ts';
import type { Channel, Delivery, Notification } from '../../../domain/notifications/notification.ts';
import {
  type ChannelStore,
  type DeliveryStore,
  type EscalationStore,
  MOST_CHANNELS,
  type NoticeRound,
  type NoticeStore,
} from '../../../domain/notifications/ports.ts';
import { keepRecord } from './keep-record.ts';
import { byText, newestFirst, pageOf } from './page-of.ts';

/** Channels in memory. */
export function createMemoryChannels(): ChannelStore {
  const channels = new Map<string, Channel>();
  const ofOrg = (org: string | null) => [...channels.values()].filter((channel) => channel.org === org);
  return {
    find: async (id) => channels.get(id) ?? null,
    list: async (org) => ofOrg(org).sort((a, b) => byText([a.id], [b.id])),
    async insert(channel) {
      if (ofOrg(channel.org).length >= MOST_CHANNELS) {
        throw new FairleadError('CONFLICT', `There are ${MOST_CHANNELS} channels already: remove one first.`);
      }
      channels.set(channel.id, keepRecord({ ...channel }));
    },
    async activate(id) {
      const channel = channels.get(id);
      if (channel?.state !== 'unconfirmed' || channel.confirmation !== null) return;
      channels.set(id, keepRecord({ ...channel, state: 'active' }));
    },
    async confirm(id, hash, now) {
      const channel = channels.get(id);
      const { state, confirmation } = channel ?? {};
      if (channel === undefined || state !== 'unconfirmed' || confirmation == null) return false;
      if (confirmation.hash !== hash || confirmation.expiresAt <= now) return false;
      channels.set(id, keepRecord({ ...channel, state: 'active', confirmation: null }));
      return true;
    },
    async stop(id) {
      const channel = channels.get(id);
      if (channel !== undefined) channels.set(id, keepRecord({ ...channel, state: 'stopped', confirmation: null }));
    },
    async setQuiet(id, quiet) {
      const channel = channels.get(id);
      if (channel !== undefined) channels.set(id, keepRecord({ ...channel, quiet }));
    },
    async remove(id) {
      channels.delete(id);
    },
  };
}

/** Policies of escalation in memory. */
export function createMemoryEscalations(): EscalationStore {
  const policies = new Map<string | null, EscalationPolicies>();
  const find = (org: string | null) => policies.get(org) ?? NO_POLICIES;
  return {
    find: async (org) => find(org),
    async set(org, severity, policy) {
      policies.set(org, keepRecord({ ...find(org), [severity]: policy }));
    },
  };
}

const ORDER = {
  cursor: timeAndId,
  keyOf: ({ createdAt, id }: Delivery) => [createdAt.getTime(), id] as [number, string],
  compare: newestFirst,
};

/** Deliveries in memory. */
export function createMemoryDeliveries(): DeliveryStore {
  const deliveries = new Map<string, Delivery>();
  const heldOf = ({ id, org }: Pick<Channel, 'id' | 'org'>, until: Date) =>
    [...deliveries.values()]
      .filter((each) => each.org === org && each.channelId === id && each.state === 'held')
      .filter(({ heldUntil }) => heldUntil?.getTime() === until.getTime())
      .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime() || byText([a.id], [b.id]));
  return {
    find: async (id) => deliveries.get(id) ?? null,
    async insert(delivery) {
      if (!deliveries.has(delivery.id)) deliveries.set(delivery.id, keepRecord({ ...delivery }));
    },
    async countPending({ id, org }, since, most) {
      const isWaiting = (each: Delivery) =>
        each.org === org && each.channelId === id && each.state === 'pending' && each.createdAt >= since;
      return Math.min(most, [...deliveries.values()].filter(isWaiting).length);
    },
    async note(id, change) {
      const known = deliveries.get(id);
      if (known !== undefined) deliveries.set(id, keepRecord({ ...known, ...change }));
    },
    async hold(id, until) {
      const known = deliveries.get(id);
      if (known?.state === 'pending') deliveries.set(id, keepRecord({ ...known, state: 'held', heldUntil: until }));
    },
    countHeld: async (channel, until, most) => Math.min(most, heldOf(channel, until).length),
    listHeld: async (channel, until, most) => heldOf(channel, until).slice(0, most),
    async endHeld(ids, end) {
      for (const id of ids) {
        const known = deliveries.get(id);
        const isOpen = known?.state === 'held' || known?.state === 'dead';
        if (known !== undefined && isOpen) deliveries.set(id, keepRecord({ ...known, ...end }));
      }
    },
    async list({ org, page: told, state }, page) {
      const isOfPage = (each: Delivery) =>
        told !== undefined && each.org === told && each.notification.kind !== 'subscriber.confirm';
      const asked = [...deliveries.values()].filter((each) => each.state === state);
      return pageOf(
        asked.filter((each) => each.org === org || isOfPage(each)),
        page,
        ORDER,
      );
    },
  };
}

/** Notices that wait, in memory. */
export function createMemoryNotices(): NoticeStore {
  const notices = new Map<
    string,
    { readonly notification: Notification; readonly createdAt: Date; toldAt: Date | null }
  >();
  const rounds = new Map<string, NoticeRound>();
  const keyOf = ({ createdAt, notification }: { readonly createdAt: Date; readonly notification: Notification }) =>
    `${createdAt.toISOString()} ${notification.id}`;
  const kept = (org: string | null) =>
    [...notices.values()]
      .filter(({ notification, toldAt }) => notification.org === org && toldAt === null)
      .sort((a, b) => byText([keyOf(a)], [keyOf(b)]));
  const waiting = (org: string | null) => kept(org).map(({ notification }) => notification);
  return {
    async insert(list, createdAt) {
      for (const notification of list) {
        const { id } = notification;
        if (!notices.has(id))
          notices.set(id, { notification: keepRecord({ ...notification }), createdAt, toldAt: null });
      }
    },
    isAnyWaiting: async (ids) => ids.some((id) => notices.get(id)?.toldAt === null),
    async firstWaiting(org) {
      const [first] = kept(org);
      return first === undefined ? null : { id: first.notification.id, createdAt: first.createdAt };
    },
    countWaiting: async (org, most) => Math.min(waiting(org).length, most),
    listWaiting: async (org, most) =>
      waiting(org)
        .slice(0, most)
        .map(({ id, kind, urgency, only }) => {
          return { id, kind, ...(urgency !== undefined && { urgency }), ...(only !== undefined && { only }) };
        }),
    read: async (ids) => ids.flatMap((id) => notices.get(id)?.notification ?? []),
    async keepRound(round) {
      const known = rounds.get(round.id) ?? keepRecord({ ...round });
      rounds.set(round.id, known);
      return known;
    },
    findRound: async (id) => rounds.get(id) ?? null,
    async markTold(ids, at) {
      for (const id of ids) {
        const known = notices.get(id);
        if (known !== undefined) known.toldAt ??= at;
      }
    },
  };
}
