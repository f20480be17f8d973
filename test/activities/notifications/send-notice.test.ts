import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sendNotice } from '../../../activities/notifications/send-notice.ts';
import type { NotificationKind } from '../../../domain/notifications/notification.ts';
import { channelRecord, deliveryRecord } from '../../ports/notifications/notification-stores.ts';
import { createMemoryChannels, createMemoryDeliveries } from '../../support/in-memory/notifications.ts';

it('sends alerts to active channels alone, and to an address that is not confirmed the mail that asks', async () => {
  const [channels, deliveries] = [createMemoryChannels(), createMemoryDeliveries()];
  const sent: string[] = [];
  const deps = {
    ...{ channels, deliveries, now: () => new Date(0) },
    sender: { send: async ({ id }: { readonly id: string }) => void sent.push(id) },
    takeMail: async () => undefined,
    inPlace: <T>(_channel: unknown, work: () => Promise<T>) => work(),
  };
  const attempt = async (state: 'unconfirmed' | 'active' | 'stopped', kind: NotificationKind, isMuted = false) => {
    const channel = channelRecord({ id: `${state} ${kind}`, state });
    await channels.insert(channel);
    const { notification, ...rest } = deliveryRecord({ channelId: channel.id });
    await deliveries.insert({ ...rest, notification: { ...notification, kind, data: { isMuted } } });
    await sendNotice(deps, rest.id, new AbortController().signal);
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
