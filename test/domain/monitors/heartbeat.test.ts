import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Heartbeats, judgeHeartbeat, NO_HEARTBEATS } from '../../../domain/monitors/heartbeat.ts';

const at = (minute: number): Date => new Date(Date.parse('2026-03-01T00:00:00Z') + minute * 60_000);
const CHECK = { kind: 'heartbeat', tokenHash: '', periodSeconds: 3_600, graceSeconds: 600 } as const;
const judged = (heartbeats: Partial<Heartbeats>, now: number) =>
  judgeHeartbeat(CHECK, { ...NO_HEARTBEATS, ...heartbeats }, { since: at(0), now: at(now) }).problem;

describe('a heartbeat', () => {
  for (const [what, heartbeats, now, problem] of [
    ['a new job has the period and the grace', {}, 70, null],
    ['a new job that never reported is missed after that', {}, 71, 'no-heartbeat'],
    ['done in time', { done: at(60) }, 130, null],
    ['not done in time', { done: at(60) }, 131, 'no-heartbeat'],
    ['a job that began has the grace to be done', { done: at(60), start: at(125) }, 135, null],
    ['a job that began and hangs', { done: at(60), start: at(125) }, 136, 'no-heartbeat'],
    ['a job that begins again and again and is never done', { done: at(60), start: at(131) }, 132, 'no-heartbeat'],
    ['a job that says that it failed', { done: at(60), fail: at(61) }, 62, 'heartbeat-failed'],
    ['a job that failed at first', { fail: at(1) }, 2, 'heartbeat-failed'],
    ['a job that was done after it failed', { done: at(62), fail: at(61) }, 63, null],
  ] as const) {
    it(what, () => assert.equal(judged(heartbeats, now), problem));
  }
});
