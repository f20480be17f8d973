import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deliveryId, MOST_PENDING, putDeliveries } from '../../../domain/notifications/put-deliveries.ts';
import { channelRecord, deliveryRecord } from '../../ports/notifications/notification-stores.ts';
import { createMemoryDeliveries } from '../../support/in-memory/notifications.ts';

it('a channel of which many wait gets the next on record as given up; other channels are told', async () => {
  const deliveries = createMemoryDeliveries();
  const begun: string[] = [];
  const commands = { deliver: async (id: string) => void begun.push(id) };
  const deps = { deliveries, commands, now: () => new Date(0) };
  const [hanging, other] = [channelRecord({ id: 'hanging' }), channelRecord({ id: 'other' })];
  const notice = (index: number) => ({ ...deliveryRecord().notification, id: `notice/${index}` });
  const notices = Array.from({ length: MOST_PENDING }, (_, index) => notice(index));
  await putDeliveries(deps, [hanging], notices);
  assert.equal(begun.length, MOST_PENDING);
  const next = notice(MOST_PENDING);
  await putDeliveries(deps, [hanging, other], [next]);
  assert.deepEqual(begun.slice(MOST_PENDING), [deliveryId(next, other)]);
  const refused = await deliveries.find(deliveryId(next, hanging));
  assert.equal(refused?.state, 'dead');
  assert.match(refused.lastProblem ?? '', /wait/);
  // An attempt that was killed between the record and the workflow is made again.
  await putDeliveries(deps, [hanging], [notice(3)]);
  assert.equal(begun.at(-1), deliveryId(notice(3), hanging));
});

it('what waited for longer than a delivery is tried takes no place: an alert is not given up for it', async () => {
  const deliveries = createMemoryDeliveries();
  const begun: string[] = [];
  const commands = { deliver: async (id: string) => void begun.push(id) };
  const channel = channelRecord({});
  const left = new Date('2026-11-01T10:00:00Z');
  for (let index = 0; index < MOST_PENDING; index += 1) {
    await deliveries.insert(deliveryRecord({ org: channel.org, channelId: channel.id, createdAt: left }));
  }
  const put = (id: string, now: Date) =>
    putDeliveries({ deliveries, commands, now: () => now }, [channel], [{ ...deliveryRecord().notification, id }]);
  await put('same day', new Date('2026-11-02T09:59:00Z'));
  assert.deepEqual(begun, []);
  await put('day after', new Date('2026-11-02T12:00:00Z'));
  assert.deepEqual(begun, [`day after/${channel.id}`]);
});

it('a notice that is for some channels goes to those of them that there are, and to no other', async () => {
  const begun: string[] = [];
  const deps = {
    deliveries: createMemoryDeliveries(),
    commands: { deliver: async (id: string) => void begun.push(id) },
  };
  const channels = ['a', 'b', 'c'].map((id) => channelRecord({ id }));
  const notice = { ...deliveryRecord().notification, id: 'notice', only: ['c', 'a', 'gone'] };
  await putDeliveries({ ...deps, now: () => new Date(0) }, channels, [notice, { ...notice, id: 'none', only: [] }]);
  assert.deepEqual(begun, ['notice/a', 'notice/c']);
});
