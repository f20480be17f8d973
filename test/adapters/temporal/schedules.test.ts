import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ensureSchedules } from '../../../adapters/temporal/schedules.ts';
import type { ScheduleDefinition } from '../../../domain/schedule.ts';
import { SCHEDULES } from '../../../workflows/schedules.ts';
import { startTemporal, type TestTemporal } from '../../support/start-temporal.ts';

const HOUR_MS = 3_600_000;

describe('schedules on a Temporal server', { timeout: 90_000 }, () => {
  let temporal: TestTemporal;
  before(async () => {
    temporal = await startTemporal();
  });
  after(() => temporal.stop());

  async function found(id: string) {
    const { action, spec, policies } = await temporal.client.schedule.getHandle(id).describe();
    assert.equal(action.type, 'startWorkflow');
    return { type: action.workflowType, runTimeoutMs: action.workflowRunTimeout, spec, policies };
  }

  it('every row of the table becomes a schedule, and again is no error', async () => {
    for (let round = 0; round < 2; round += 1) await ensureSchedules(temporal.client, SCHEDULES);
    for (const { id, workflowType, overlap } of SCHEDULES) {
      const { type, policies } = await found(id);
      assert.deepEqual([type, policies.overlap], [workflowType, overlap]);
    }
  });

  it('a run has the time that its row gives it, and one that is changed gets the new one', async () => {
    assert.equal((await found('anchor-night')).runTimeoutMs, 20 * HOUR_MS);
    const row = SCHEDULES.find(({ id }) => id === 'anchor-night');
    assert.ok(row);
    const changed: ScheduleDefinition = { ...row, runTimeout: '55m' };
    await ensureSchedules(temporal.client, [changed]);
    assert.equal((await found('anchor-night')).runTimeoutMs, 55 * 60_000);
  });

  it('a row that wants it runs at once, the others wait for their time', async () => {
    const runs = async (id: string): Promise<number> => {
      const { info } = await temporal.client.schedule.getHandle(id).describe();
      return info.recentActions.length + info.runningActions.length;
    };
    for (const deadline = Date.now() + 20_000; (await runs('reconcile-deploys')) === 0 && Date.now() < deadline; );
    assert.ok((await runs('reconcile-deploys')) > 0);
    assert.equal(await runs('prune-images'), 0);
  });
});
