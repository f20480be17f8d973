import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Channel, Delivery, Notification } from '../../../domain/notifications/notification.ts';
import {
  type ChannelStore,
  type DeliveryStore,
  type EscalationStore,
  type MailCounts,
  MOST_CHANNELS,
  type NoticeStore,
} from '../../../domain/notifications/ports.ts';

const AT = new Date('2026-11-01T10:00:00Z');
const unique = (): string => randomBytes(6).toString('hex');

export function channelRecord(changes: Partial<Channel> = {}): Channel {
  const target = { kind: 'mail', to: 'ops@example.com' } as const;
  const facts = { state: 'active', confirmation: null, createdAt: AT, createdBy: 'usr_ada' } as const;
  return { id: `chn_${unique()}`, org: 'acme', target, ...facts, ...changes };
}

export function deliveryRecord(changes: Partial<Delivery> = {}): Delivery {
  const id = unique();
  const words = {
    subject: 'Down: shop',
    text: 'shop is down',
    data: { incidentId: 'inc_1', sequence: 1, cause: null },
  };
  return {
    ...{ id, channelId: 'chn_1', org: 'acme', state: 'pending', attempts: 0, lastProblem: null },
    ...{ createdAt: AT, endedAt: null },
    notification: { id: 'inc_1/opened', kind: 'incident.opened', org: 'acme', ...words, at: AT },
    ...changes,
  };
}

/** What every {@link EscalationStore} guarantees. */
export function escalationStoreSuite(store: () => EscalationStore): void {
  describe('EscalationStore', () => {
    it('keeps a policy for each severity of each org, and of the operators', async () => {
      const org = `org-${unique()}`;
      assert.deepEqual(await store().find(org), { critical: null, warning: null });
      const steps = [
        { waitMinutes: 0, channelIds: ['chn_1', 'chn_2'] },
        { waitMinutes: 10, channelIds: ['chn_3'] },
      ];
      const critical = { steps, repeat: { times: 2, waitMinutes: 30 } };
      const warning = { steps, repeat: null };
      await Promise.all([store().set(org, 'critical', critical), store().set(org, 'warning', warning)]);
      assert.deepEqual(await store().find(org), { critical, warning });
      assert.deepEqual(await store().find(`${org}-other`), { critical: null, warning: null });
      await store().set(org, 'critical', null);
      await store().set(org, 'warning', { ...warning, steps: steps.slice(0, 1) });
      assert.deepEqual(await store().find(org), { critical: null, warning: { ...warning, steps: steps.slice(0, 1) } });
      await store().set(null, 'critical', critical);
      assert.deepEqual(await store().find(null), { critical, warning: null });
    });
  });
}

/** What every {@link ChannelStore} guarantees. */
export function channelStoreSuite(store: () => ChannelStore): void {
  describe('ChannelStore', () => {
    it('keeps channels by org, at most so many, and none once it is removed', async () => {
      const org = `org-${unique()}`;
      const secrets = [{ keyId: 'k1', sealed: 'abc' }];
      const settings = { keyId: 'k1', sealed: 'abc' };
      const chat = channelRecord({
        org,
        target: { kind: 'chat', service: 'slack', host: 'chat.example.com', settings },
      });
      await store().insert(chat);
      assert.deepEqual(await store().find(chat.id), chat);
      await store().remove(chat.id);
      const webhook = channelRecord({ org, target: { kind: 'webhook', url: 'https://example.com/hook', secrets } });
      await store().insert(webhook);
      await store().insert(channelRecord({ org: `${org}-other` }));
      assert.deepEqual(await store().find(webhook.id), webhook);
      assert.deepEqual(await store().list(org), [webhook]);
      for (let count = 1; count < MOST_CHANNELS; count += 1) await store().insert(channelRecord({ org }));
      await assert.rejects(store().insert(channelRecord({ org })), { code: 'CONFLICT' });
      await store().remove(webhook.id);
      await store().remove(webhook.id);
      assert.equal(await store().find(webhook.id), null);
      assert.equal((await store().list(org)).length, MOST_CHANNELS - 1);
    });

    it('of many at once takes as many as there is room for', async () => {
      const org = `org-${unique()}`;
      for (let count = 2; count < MOST_CHANNELS; count += 1) await store().insert(channelRecord({ org }));
      const answers = await Promise.allSettled([1, 2, 3, 4, 5, 6].map(() => store().insert(channelRecord({ org }))));
      assert.equal(answers.filter(({ status }) => status === 'fulfilled').length, 2);
      for (const answer of answers) if (answer.status === 'rejected') assert.equal(answer.reason.code, 'CONFLICT');
      const [first] = await store().list(org);
      await store().remove(first?.id ?? '');
      await store().insert(channelRecord({ org }));
      assert.equal((await store().list(org)).length, MOST_CHANNELS);
    });

    it('makes a channel active that has nothing to confirm, and no other one', async () => {
      const org = `org-${unique()}`;
      const confirmation = { nonce: 'n', hash: 'h', expiresAt: new Date(AT.getTime() + 1_000) };
      const states = [];
      for (const changes of [
        { state: 'unconfirmed', confirmation: null },
        { state: 'unconfirmed', confirmation },
        { state: 'stopped', confirmation: null },
      ] as const) {
        const channel = channelRecord({ org, ...changes });
        await store().insert(channel);
        await store().activate(channel.id);
        states.push((await store().find(channel.id))?.state);
      }
      assert.deepEqual(states, ['active', 'unconfirmed', 'stopped']);
      await store().activate('none');
    });

    it('confirms an address by its link, once, in its time, and of many at once one', async () => {
      const expiresAt = new Date(AT.getTime() + 1_000);
      const channel = channelRecord({
        ...{ org: `org-${unique()}`, state: 'unconfirmed' },
        confirmation: { nonce: 'n', hash: 'h', expiresAt },
      });
      await store().insert(channel);
      assert.deepEqual(await store().find(channel.id), channel);
      assert.equal(await store().confirm(channel.id, 'other', AT), false);
      assert.equal(await store().confirm('none', 'h', AT), false);
      assert.equal(await store().confirm(channel.id, 'h', expiresAt), false);
      const answers = await Promise.all([1, 2, 3].map(() => store().confirm(channel.id, 'h', AT)));
      assert.equal(answers.filter((isConfirmed) => isConfirmed).length, 1);
      assert.deepEqual(await store().find(channel.id), { ...channel, state: 'active', confirmation: null });
    });

    it('keeps the quiet hours of a channel, until they are ended', async () => {
      const channel = channelRecord({ org: `org-${unique()}` });
      const weekdays = ['sat', 'sun'] as const;
      const quiet = { from: '22:00', to: '24:00', timeZone: 'Europe/Berlin', weekdays, passes: 'warning' } as const;
      await store().insert(channel);
      await store().setQuiet(channel.id, quiet);
      await store().setQuiet('none', quiet);
      assert.deepEqual(await store().find(channel.id), { ...channel, quiet });
      await store().setQuiet(channel.id, null);
      assert.deepEqual(await store().list(channel.org), [{ ...channel, quiet: null }]);
    });

    it('stops a channel for good: no link makes it active again', async () => {
      const confirmation = { nonce: 'n', hash: 'h', expiresAt: new Date(AT.getTime() + 1_000) };
      const channel = channelRecord({ org: `org-${unique()}`, state: 'unconfirmed', confirmation });
      await store().insert(channel);
      for (let times = 0; times < 2; times += 1) await store().stop(channel.id);
      await store().stop('none');
      assert.equal(await store().confirm(channel.id, 'h', AT), false);
      assert.equal((await store().find(channel.id))?.state, 'stopped');
    });
  });
}

const notice = (id: string, org: string | null, changes: Partial<Notification> = {}): Notification => ({
  ...{
    id,
    org,
    kind: 'incident.opened',
    subject: `Down: ${id}`,
    text: 'down',
    data: { incidentIds: ['a', 'b'] },
    at: AT,
  },
  ...changes,
});

/** What every {@link NoticeStore} guarantees. */
export function noticeStoreSuite(store: () => NoticeStore): void {
  describe('NoticeStore', () => {
    const later = (ms: number) => new Date(AT.getTime() + ms);

    it('keeps the first notice of an id, by org, in the order in which they came', async () => {
      const [org, one, two, three] = [unique(), unique(), unique(), unique()];
      await store().insert([notice(two, org)], later(2));
      await store().insert([notice(one, org), notice(two, org, { text: 'other' }), notice(three, 'other')], later(1));
      await store().insert([notice(two, org)], later(0));
      assert.deepEqual(await store().listWaiting(org, 10), [
        { id: one, kind: 'incident.opened' },
        { id: two, kind: 'incident.opened' },
      ]);
      assert.equal((await store().listWaiting(org, 1)).length, 1);
      assert.deepEqual([await store().countWaiting(org, 10), await store().countWaiting(org, 1)], [2, 1]);
      assert.deepEqual(await store().read([two, 'none', one]), [notice(two, org), notice(one, org)]);
      assert.deepEqual(await store().firstWaiting(org), { id: one, createdAt: later(1) });
      assert.equal(await store().firstWaiting(unique()), null);
    });

    it('tells none twice: what was told waits no more, also when it is put there once more', async () => {
      const [org, one, two] = [unique(), unique(), unique()];
      await store().insert([notice(one, org), notice(two, org)], AT);
      for (let times = 0; times < 2; times += 1) await store().markTold([one, 'none'], AT);
      await store().insert([notice(one, org)], AT);
      const isWaiting = [[one], [two], [one, two], ['none'], []].map((ids) => store().isAnyWaiting(ids));
      assert.deepEqual(await Promise.all(isWaiting), [false, true, true, false, false]);
      assert.deepEqual(await store().listWaiting(org, 10), [{ id: two, kind: 'incident.opened' }]);
      assert.deepEqual(await store().firstWaiting(org), { id: two, createdAt: AT });
    });

    it('says how urgent those are that wait, and which channels they are for', async () => {
      const org = unique();
      const only = ['chn_1', 'chn_2'];
      const [one, two] = [notice(unique(), org, { urgency: 'warning', only }), notice(unique(), org)];
      await store().insert([one], AT);
      await store().insert([two], later(1));
      assert.deepEqual(await store().listWaiting(org, 10), [
        { id: one.id, kind: one.kind, urgency: 'warning', only },
        { id: two.id, kind: two.kind },
      ]);
      assert.deepEqual(await store().read([one.id]), [one]);
    });

    it('keeps the first round of an id, of many at once as well', async () => {
      const id = unique();
      const round = (noticeId: string) => ({
        ...{ id, org: null, noticeIds: [noticeId], notifications: [notice(noticeId, null)], at: AT },
      });
      assert.equal(await store().findRound(id), null);
      const kept = await Promise.all(['a', 'b', 'c'].map((each) => store().keepRound(round(each))));
      const found = await store().findRound(id);
      assert.ok(found !== null);
      for (const each of kept) assert.deepEqual(each, found);
      assert.deepEqual(found, round(found.noticeIds[0] ?? ''));
    });
  });
}

/** What every {@link MailCounts} guarantees. */
export function confirmationCountsSuite(counts: () => MailCounts): void {
  describe('MailCounts', () => {
    it('counts up to a limit a key and day, of many at once as well', async () => {
      const key = unique();
      const answers = await Promise.all(Array.from({ length: 8 }, () => counts().take(key, '2026-11-01', 3)));
      assert.equal(answers.filter((isCounted) => isCounted).length, 3);
      assert.equal(await counts().take(key, '2026-11-01', 3), false);
      assert.equal(await counts().take(key, '2026-11-02', 3), true);
      assert.equal(await counts().take(`${key}-other`, '2026-11-01', 3), true);
      await counts().giveBack(key, '2026-11-01');
      assert.equal(await counts().take(key, '2026-11-01', 3), true);
      assert.equal(await counts().take(key, '2026-11-01', 3), false);
      await counts().giveBack(`${key}-none`, '2026-11-01');
    });
  });
}

/** What every {@link DeliveryStore} guarantees. */
export function deliveryStoreSuite(store: () => DeliveryStore): void {
  describe('DeliveryStore', () => {
    it('keeps the first delivery of an id, and what is noted of it', async () => {
      const delivery = deliveryRecord();
      await store().insert(delivery);
      await store().note(delivery.id, { attempts: 2, lastProblem: 'It answered 500' });
      await store().insert(delivery);
      assert.deepEqual(await store().find(delivery.id), { ...delivery, attempts: 2, lastProblem: 'It answered 500' });
      await store().note('none', { attempts: 2 });
      assert.equal(await store().find('none'), null);
    });

    it('counts those that wait of a channel since a time, and no more than it is asked for', async () => {
      const [org, channelId] = [`org-${unique()}`, `chn_${unique()}`];
      const later = new Date(AT.getTime() + 1_000);
      const waiting = { org, channelId };
      for (const createdAt of [AT, later, later]) await store().insert(deliveryRecord({ ...waiting, createdAt }));
      await store().insert(deliveryRecord({ ...waiting, state: 'dead', createdAt: later }));
      await store().insert(deliveryRecord({ org, channelId: 'other', createdAt: later }));
      const count = (since: Date, most: number) => store().countPending({ id: channelId, org }, since, most);
      assert.deepEqual([await count(AT, 9), await count(later, 9), await count(AT, 2)], [3, 2, 2]);
    });

    it('notes that one waits, and nothing where it has ended meanwhile or waits already', async () => {
      const [first, second] = [new Date(AT.getTime() + 60_000), new Date(AT.getTime() + 120_000)];
      for (const [state, after] of [
        ['pending', 'held'],
        ['delivered', 'delivered'],
        ['dead', 'dead'],
      ] as const) {
        const delivery = deliveryRecord({ state });
        await store().insert(delivery);
        for (const until of [first, second]) await store().hold(delivery.id, until);
        const { heldUntil, state: kept } = (await store().find(delivery.id)) ?? {};
        assert.deepEqual([kept, heldUntil], [after, state === 'pending' ? first : undefined]);
      }
      await store().hold('none', first);
      assert.equal(await store().find('none'), null);
    });

    it('lists and counts those of a channel that are held until a time, and ends those that were not told', async () => {
      const [org, channelId] = [`org-${unique()}`, `chn_${unique()}`];
      const heldUntil = new Date(AT.getTime() + 60_000);
      const held = { org, channelId, state: 'held', heldUntil } as const;
      const second = deliveryRecord({ ...held, createdAt: new Date(AT.getTime() + 1) });
      const first = deliveryRecord({ ...held, covers: ['a'] });
      const others = [
        deliveryRecord({ ...held, heldUntil: AT }),
        deliveryRecord({ ...held, channelId: 'other' }),
        deliveryRecord({ ...held, state: 'dead' }),
        deliveryRecord({ ...held, state: 'pending' }),
      ];
      for (const delivery of [second, first, ...others]) await store().insert(delivery);
      const channel = { id: channelId, org };
      assert.deepEqual(await store().listHeld(channel, heldUntil, 9), [first, second]);
      assert.deepEqual(await store().listHeld(channel, heldUntil, 1), [first]);
      const count = (most: number) => store().countHeld(channel, heldUntil, most);
      assert.deepEqual([await count(9), await count(1)], [2, 1]);
      const end = { state: 'delivered', lastProblem: null, endedAt: AT } as const;
      const ids = [second, ...others].map(({ id }) => id);
      await store().endHeld([], end);
      for (let times = 0; times < 2; times += 1) await store().endHeld(ids, end);
      assert.deepEqual(await store().listHeld(channel, heldUntil, 9), [first]);
      const states = await Promise.all(others.map(async ({ id }) => (await store().find(id))?.state));
      assert.deepEqual(states, ['delivered', 'delivered', 'delivered', 'pending']);
    });

    it('lists those of an org in a state, the newest first', async () => {
      const org = `org-${unique()}`;
      const later = new Date(AT.getTime() + 1_000);
      const [older, newer] = [
        deliveryRecord({ org, state: 'dead' }),
        deliveryRecord({ org, state: 'dead', createdAt: later }),
      ];
      for (const delivery of [older, newer, deliveryRecord({ org })]) await store().insert(delivery);
      const page = await store().list({ org, state: 'dead' }, { cursor: null, limit: 1 });
      assert.deepEqual(page.items, [newer]);
      const rest = await store().list({ org, state: 'dead' }, { cursor: page.nextCursor, limit: 1 });
      assert.deepEqual([rest.items, rest.nextCursor], [[older], null]);
    });

    it('lists those to the readers of a page among them where it is asked to, and no questions to addresses', async () => {
      const org = `org-${unique()}`;
      const page = `~page/${org}`;
      const at = (seconds: number) => new Date(AT.getTime() + seconds * 1_000);
      const { notification } = deliveryRecord();
      const dead = (changes: Partial<Delivery>) => deliveryRecord({ state: 'dead', ...changes });
      const [first, second, third] = [
        dead({ org, createdAt: at(1) }),
        dead({ org: page, channelId: 'subscribers/0', createdAt: at(2) }),
        dead({ org, createdAt: at(3) }),
      ];
      const others = [
        dead({ org: page, notification: { ...notification, kind: 'subscriber.confirm' } }),
        dead({ org: '~page/other' }),
        deliveryRecord({ org: page }),
      ];
      for (const delivery of [second, third, first, ...others]) await store().insert(delivery);
      const head = await store().list({ org, page, state: 'dead' }, { cursor: null, limit: 2 });
      assert.deepEqual(head.items, [third, second]);
      const rest = await store().list({ org, page, state: 'dead' }, { cursor: head.nextCursor, limit: 2 });
      assert.deepEqual([rest.items, rest.nextCursor], [[first], null]);
      const own = await store().list({ org, state: 'dead' }, { cursor: null, limit: 9 });
      assert.deepEqual(own.items, [third, first]);
    });
  });
}
