import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lookAtEscalation } from '../../../activities/incidents/look-at-escalation.ts';
import type { MaintenanceWindow } from '../../../domain/monitors/maintenance.ts';
import { channelRecord } from '../../ports/notifications/notification-stores.ts';
import { createMemoryMonitors } from '../../support/in-memory/monitors.ts';
import { createMemoryChannels } from '../../support/in-memory/notifications.ts';
import { monitorRecord } from '../../support/monitor-records.ts';

const AT = '2026-11-01T10:00:00.000Z';
const later = (minutes: number): Date => new Date(Date.parse(AT) + minutes * 60_000);
const POLICY = { steps: [{ waitMinutes: 0, channelIds: ['chn_a', 'chn_b'] }], repeat: null };
const LOOK = { org: 'acme', monitorId: 'mon_1', policy: POLICY, step: 0, at: AT };

async function useParts(maintenance: readonly MaintenanceWindow[] = []) {
  const [channels, monitors] = [createMemoryChannels(), createMemoryMonitors()];
  await monitors.insert(monitorRecord(1, { maintenance }));
  await channels.insert(channelRecord({ id: 'chn_a' }));
  await channels.insert(channelRecord({ id: 'chn_b', state: 'unconfirmed' }));
  await channels.insert(channelRecord({ id: 'chn_c', org: 'rival' }));
  return { channels, monitors };
}

it('a step is told to those of its channels that are told anything', async () => {
  const told = { step: 0, channelIds: ['chn_a'] };
  assert.deepEqual(await lookAtEscalation(await useParts(), LOOK), { told });
  const elsewhere = [{ from: later(1), to: later(2), note: null }];
  assert.deepEqual(await lookAtEscalation(await useParts(elsewhere), LOOK), { told });
  for (const monitorId of [null, 'mon_gone']) {
    assert.deepEqual(await lookAtEscalation(await useParts(), { ...LOOK, monitorId }), { told });
  }
});

it('a time of maintenance is waited for, and looked at again after five minutes, as it may be ended early', async () => {
  for (const [minutes, again] of [
    [2, 2],
    [600, 5],
  ] as const) {
    const parts = await useParts([{ from: later(-1), to: later(minutes), note: null }]);
    assert.deepEqual(await lookAtEscalation(parts, LOOK), { again: later(again).toISOString() });
  }
});
