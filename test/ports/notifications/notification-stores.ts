import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Channel, Delivery } from '../../../domain/notifications/notification.ts';
import { type ChannelStore, type DeliveryStore, MOST_CHANNELS } from '../../../domain/notifications/ports.ts';

const AT = new Date('2026-11-01T10:00:00Z');
const unique = (): string => randomBytes(6).toString('hex');

export function channelRecord(changes: Partial<Channel> = {}): Channel {
  const target = { kind: 'mail', to: 'ops@example.com' } as const;
  return { id: `chn_${unique()}`, org: 'acme', target, createdAt: AT, createdBy: 'usr_ada', ...changes };
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

/** What every {@link ChannelStore} guarantees. */
export function channelStoreSuite(store: () => ChannelStore): void {
  describe('ChannelStore', () => {
    it('keeps channels by org, at most so many, and none once it is removed', async () => {
      const org = `org-${unique()}`;
      const secrets = [{ keyId: 'k1', sealed: 'abc' }];
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
  });
}
