import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sendNotice } from '../../../activities/notifications/send-notice.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { NotificationKind } from '../../../domain/notifications/notification.ts';
import { channelRecord, deliveryRecord } from '../../ports/notifications/notification-stores.ts';
import { createMemoryChannels, createMemoryDeliveries } from '../../support/in-memory/notifications.ts';

it('sends alerts to active channels alone, and to an address that is not confirmed the mail that asks', async () => {
  const [channels, deliveries] = [createMemoryChannels(), createMemoryDeliveries()];
  const sent: string[] = [];
  const deps = {
    ...{ channels, deliveries, now: () => new Date(0) },
    sender: { send: async ({ id }: { readonly id: string }) => void sent.push(id) },
    takeMail: async () => async () => undefined,
    attemptOf: () => 1,
    inPlace: <T>(_channel: unknown, work: () => Promise<T>) => work(),
    sendToPage: () => Promise.reject(new Error('no page is told here')),
  };
  const attempt = async (state: 'unconfirmed' | 'active' | 'stopped', kind: NotificationKind, isMuted = false) => {
    const channel = channelRecord({ id: `${state} ${kind}`, state });
    await channels.insert(channel);
    const { notification, ...rest } = deliveryRecord({ channelId: channel.id });
    await deliveries.insert({ ...rest, notification: { ...notification, kind, data: { isMuted } } });
    await sendNotice(deps, { id: rest.id, again: false }, new AbortController().signal);
    const { state: became, attempts } = (await deliveries.find(rest.id)) ?? {};
    assert.deepEqual([became, attempts], ['delivered', 1]);
  };
  await attempt('active', 'incident.opened');
  await attempt('unconfirmed', 'channel.confirm');
  await attempt('unconfirmed', 'channel.confirm', true);
  const refused = { code: 'CONFLICT', retryable: false };
  await assert.rejects(attempt('unconfirmed', 'incident.opened'), refused);
  await assert.rejects(attempt('stopped', 'incident.opened'), refused);
  await assert.rejects(attempt('stopped', 'channel.confirm'), refused);
  assert.deepEqual(sent, ['active incident.opened', 'unconfirmed channel.confirm']);
});

it('tries again soon after a first failure, however long the notice waited for its turn, and counts no mail that was not taken', async () => {
  const [channels, deliveries] = [createMemoryChannels(), createMemoryDeliveries()];
  const channel = channelRecord({});
  await channels.insert(channel);
  const delivery = deliveryRecord({ channelId: channel.id });
  await deliveries.insert(delivery);
  const away = new FairleadError('UNAVAILABLE', 'The mail server did not take the mail', { retryable: true });
  let counted = 0;
  const world = { attempt: 30, hasRoom: false, fault: away };
  const deps = {
    ...{ channels, deliveries, now: () => new Date(0), attemptOf: () => world.attempt },
    sender: { send: () => Promise.reject(world.fault) },
    async takeMail() {
      if (!world.hasRoom) throw new FairleadError('UNAVAILABLE', 'this one waits', { retryable: true });
      counted += 1;
      return async () => {
        counted -= 1;
      };
    },
    inPlace: <T>(_channel: unknown, work: () => Promise<T>) => work(),
    sendToPage: () => Promise.reject(new Error('no page is told here')),
  };
  const waits = async (): Promise<unknown> => {
    const error = await sendNotice(deps, { id: delivery.id, again: false }, new AbortController().signal).catch(
      (thrown) => thrown,
    );
    assert.ok(error instanceof FairleadError);
    return error.details;
  };
  assert.equal(await waits(), undefined);
  assert.deepEqual(
    [await deliveries.find(delivery.id)].map((found) => [found?.attempts, found?.lastProblem]),
    [[0, 'this one waits']],
  );
  world.hasRoom = true;
  const seconds = [];
  for (let times = 0; times < 12; times += 1) seconds.push(await waits());
  assert.deepEqual(
    seconds.slice(0, 3),
    [5, 10, 20].map((retryAfterSeconds) => ({ retryAfterSeconds })),
  );
  assert.deepEqual(seconds.at(-1), { retryAfterSeconds: 3_600 });
  world.attempt = 1;
  assert.deepEqual(await waits(), { retryAfterSeconds: 5 }, 'a person asked for it once more');
  assert.equal(counted, 0);
  world.fault = new FairleadError('UNAVAILABLE', 'The mail server refused the mail (550)', { retryable: false });
  assert.equal(await waits(), undefined);
  assert.equal(counted, 1, 'one that bounces counts');
});
