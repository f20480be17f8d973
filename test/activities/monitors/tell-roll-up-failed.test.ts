import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellRollUpFailed } from '../../../activities/monitors/tell-roll-up-failed.ts';
import type { Notification } from '../../../domain/notifications/notification.ts';

test('the operators are told of a shard once a day, and of each shard', async () => {
  const told = new Map<string, Notification>();
  const outbox = { tell: async (notification: Notification) => void told.set(notification.id, notification) };
  const tell = (time: string, shard: number) => tellRollUpFailed({ outbox, now: () => new Date(time) }, shard);
  await tell('2026-11-02T10:00:00Z', 1);
  await tell('2026-11-02T23:55:00Z', 1);
  await tell('2026-11-02T23:55:00Z', 2);
  await tell('2026-11-03T00:00:00Z', 1);
  assert.deepEqual([...told.keys()], ['roll-up/1/2026-11-02', 'roll-up/2/2026-11-02', 'roll-up/1/2026-11-03']);
  for (const { org, kind } of told.values()) assert.deepEqual([org, kind], [null, 'roll-up.failed']);
});
