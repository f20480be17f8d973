import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sendNotice } from '../../../activities/notifications/send-notice.ts';
import { MOST_HELD, tellDigest } from '../../../activities/notifications/tell-digest.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { Delivery } from '../../../domain/notifications/notification.ts';
import { channelRecord, deliveryRecord } from '../../ports/notifications/notification-stores.ts';
import { createMemoryChannels, createMemoryDeliveries } from '../../support/in-memory/notifications.ts';

const QUIET = { from: '22:00', to: '07:00', timeZone: 'UTC', weekdays: null, passes: 'critical' } as const;
const END = '2026-11-02T07:00:00.000Z';
const killed = new FairleadError('UNAVAILABLE', 'killed', { retryable: true });

/** A channel in its quiet hours, and `count` warnings for it. */
async function useNight(count: number) {
  const clock = { now: new Date('2026-11-01T23:00:00Z') };
  const [channels, deliveries] = [createMemoryChannels(), createMemoryDeliveries()];
  const channel = channelRecord({ quiet: QUIET });
  await channels.insert(channel);
  const ids = Array.from({ length: count }, (_, index) => `n${index}`);
  const add = async (id: string, urgency: 'critical' | 'warning' = 'warning'): Promise<void> => {
    const { notification, ...rest } = deliveryRecord({ id, channelId: channel.id });
    await deliveries.insert({ ...rest, notification: { ...notification, id, urgency } });
  };
  for (const id of ids) await add(id);
  const sent: string[] = [];
  /** Happens while an attempt counts what waits. */
  const meanwhile = { next: async (): Promise<void> => undefined };
  const begun: string[] = [];
  const kill = { at: Number.POSITIVE_INFINITY, calls: 0 };
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    kill.calls += 1;
    if (kill.calls === kill.at) throw killed;
    return await work();
  };
  const now = () => clock.now;
  const deps = {
    ...{ channels, now, attemptOf: () => 1, takeMail: async () => async () => undefined },
    deliveries: {
      ...deliveries,
      async countHeld(...given: Parameters<typeof deliveries.countHeld>) {
        const count = await deliveries.countHeld(...given);
        const happens = meanwhile.next;
        meanwhile.next = async () => undefined;
        await happens();
        return count;
      },
      insert: (delivery: Delivery) => counted(() => deliveries.insert(delivery)),
      endHeld: (...given: Parameters<typeof deliveries.endHeld>) => counted(() => deliveries.endHeld(...given)),
    },
    sender: { send: async (_channel: unknown, { id }: Delivery) => void sent.push(id) },
    sendToPage: () => Promise.reject(new Error('no page is told here')),
    inPlace: <T>(_channel: unknown, work: () => Promise<T>) => work(),
    commands: { deliver: (id: string) => counted(async () => void begun.push(id)) },
  };
  const send = (id: string, again = false) => sendNotice(deps, { id, again }, new AbortController().signal);
  const tell = (id: string) => tellDigest(deps, { id, until: END });
  const stateOf = async (id: string) => (await deliveries.find(id))?.state;
  return {
    clock,
    deliveries,
    channel,
    ids,
    add,
    sent,
    begun,
    kill,
    meanwhile,
    send,
    tell,
    stateOf,
    digestId: `digest/${channel.id}/${END}/${channel.id}`,
  };
}

describe('quiet hours of a channel', () => {
  it('hold what is not urgent until their end, and nothing that is critical or that a person asks for', async () => {
    const { add, sent, send, stateOf } = await useNight(2);
    assert.equal(await send('n0'), END);
    assert.equal(await stateOf('n0'), 'held');
    assert.equal(await send('n0'), END, 'another attempt, as the answer was lost');
    assert.deepEqual(sent, []);
    await add('urgent', 'critical');
    assert.equal(await send('urgent'), null);
    assert.equal(await send('n1', true), null);
    assert.deepEqual(sent, ['urgent', 'n1']);
  });

  it('are told as one notice, however many wake at once, and all that waited ends with it', async () => {
    const { ids, begun, sent, send, tell, stateOf, digestId } = await useNight(5);
    for (const id of ids) await send(id);
    assert.deepEqual(
      await Promise.all(ids.map(tell)),
      ids.map(() => true),
    );
    assert.deepEqual([...new Set(begun)], [digestId]);
    await send(digestId);
    assert.deepEqual(sent, [digestId]);
    for (const id of [...ids, digestId]) assert.equal(await stateOf(id), 'delivered', id);
    assert.equal(await tell('n0'), true, 'nothing is left to do');
  });

  it('an attempt that was paused, and notes late that its notice waits, changes nothing of one that was told', async () => {
    const { meanwhile, sent, send, tell, stateOf, digestId } = await useNight(1);
    meanwhile.next = async () => {
      await send('n0');
      await tell('n0');
      await send(digestId);
    };
    assert.equal(await send('n0'), END);
    assert.deepEqual([sent, await stateOf('n0')], [[digestId], 'delivered']);
    assert.equal(await tell('n0'), true, 'nothing is left to do');
    assert.deepEqual(sent, [digestId]);
  });

  it('what comes too late for the digest is told alone, also in the next quiet hours', async () => {
    const { clock, ids, sent, send, tell, add } = await useNight(2);
    for (const id of ids) await send(id);
    await tell('n0');
    await add('late');
    assert.equal(await send('late'), END);
    assert.equal(await tell('late'), false);
    clock.now = new Date('2026-11-02T23:00:00Z');
    assert.equal(await send('late', true), null);
    assert.deepEqual(sent, ['late']);
  });

  it('a worker that dies between any two steps leaves nothing untold and nothing told twice', async () => {
    for (let at = 1; at <= 3; at += 1) {
      const { ids, kill, sent, send, tell, stateOf, digestId } = await useNight(3);
      for (const id of ids) await send(id);
      kill.at = kill.calls + at;
      const attempts = async (work: () => Promise<unknown>): Promise<void> => {
        await work().catch(async (error) => {
          assert.equal(error, killed);
          await work();
        });
      };
      await attempts(() => tell('n1'));
      await attempts(() => send(digestId));
      assert.ok(kill.calls > kill.at, `step ${at} is one`);
      assert.deepEqual(sent, [digestId]);
      for (const id of ids) assert.equal(await stateOf(id), 'delivered');
    }
  });

  it('one more than may wait is given up on record, with why', async () => {
    const { deliveries, channel, send } = await useNight(1);
    for (let index = 0; index < MOST_HELD; index += 1) {
      await deliveries.insert(deliveryRecord({ channelId: channel.id, state: 'held', heldUntil: new Date(END) }));
    }
    await assert.rejects(send('n0'), { code: 'CONFLICT', retryable: false });
  });
});
