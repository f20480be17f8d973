import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeHeartbeats } from '../../../activities/monitors/judge-heartbeats.ts';
import { changedMonitor } from '../../../domain/monitors/change-monitor.ts';
import type { Monitor } from '../../../domain/monitors/monitor.ts';
import { createMemoryHeartbeats } from '../../support/in-memory/heartbeats.ts';
import { monitorRecord } from '../../support/monitor-records.ts';

const at = (minute: number): Date => new Date(Date.parse('2026-11-01T10:00:00Z') + minute * 60_000);
/** Of a job that never reported: missed after 70 minutes. */
const job = monitorRecord(4, {
  check: { kind: 'heartbeat', tokenHash: '', periodSeconds: 3_600, graceSeconds: 600 },
  createdAt: at(0),
});

async function judged(monitor: Monitor | null, now: Date) {
  assert.ok(monitor !== null);
  const found = await judgeHeartbeats({ heartbeats: createMemoryHeartbeats(), now: () => now }, [
    { monitor, beganMs: 0 },
  ]);
  return found.map(({ outcome }) => outcome);
}

test('a change of the monitor makes no job well that is dead', async () => {
  assert.deepEqual(await judged(job, at(71)), ['failed']);
  assert.deepEqual(await judged(changedMonitor(job, { isPublic: false }, at(70)), at(71)), ['failed']);
});

test('a job has its period anew once its monitor is resumed, and no later change gives it more', async () => {
  const paused = changedMonitor(job, { paused: { at: at(80), by: 'usr_ada' } }, at(80)) ?? job;
  const resumed = changedMonitor(paused, { paused: null }, at(90)) ?? job;
  assert.deepEqual(await judged(resumed, at(100)), ['ok']);
  assert.deepEqual(await judged(changedMonitor(resumed, { isPublic: false }, at(150)), at(161)), ['failed']);
});
