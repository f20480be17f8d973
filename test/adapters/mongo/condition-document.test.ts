import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCondition } from '../../../adapters/mongo/monitors/condition-document.ts';
import { emptyCondition } from '../../../domain/monitors/apply-result.ts';
import { monitorRecord } from '../../support/monitor-records.ts';

test('a condition that a later version wrote is read: what nobody knows yet of its last result is `other`, and `unknown`', () => {
  const { monitorId, ...empty } = emptyCondition(monitorRecord(1).id);
  const last = { monitorId, at: 1, durationMs: 2, status: null, message: 'a later version' };
  const problemOf = (problem: unknown, outcome = 'failed') =>
    readCondition({ _id: monitorId, fence: 1, ...empty, last: { ...last, outcome, problem } }).condition.last;
  assert.deepEqual(problemOf('later'), { ...last, outcome: 'failed', problem: 'other' });
  assert.deepEqual(problemOf('no-secret', 'later'), { ...last, outcome: 'unknown', problem: 'no-secret' });
  assert.deepEqual(problemOf(null), { ...last, outcome: 'failed', problem: null });
});
