import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client, ScheduleNotFoundError } from '@temporalio/client';
import { ensureSchedules } from '../../../adapters/temporal/schedules.ts';
import type { ScheduleDefinition } from '../../../domain/schedule.ts';
import { MODULES } from '../../../workers/modules.ts';
import { startTemporal, type TestTemporal } from '../../support/start-temporal.ts';
import { waitUntil } from '../../support/wait-until.ts';

const HOUR_MS = 3_600_000;
const TABLE = MODULES.flatMap(({ schedules }) => schedules);
const VERSION = '1.2.0';

const RETIRED: ScheduleDefinition = {
  id: 'count-sheep',
  cron: '0 3 * * *',
  workflowType: 'countSheep',
  overlap: 'SKIP',
  catchupWindow: '1h',
  runTimeout: '30m',
  atStart: false,
};

describe('schedules on a Temporal server', { timeout: 300_000 }, () => {
  let temporal: TestTemporal;
  before(async () => {
    temporal = await startTemporal();
  });
  after(() => temporal.stop());

  const left: unknown[] = [];
  const log = { warn: (...args: unknown[]) => void left.push(args[0]) };
  const ensure = (served: readonly ScheduleDefinition[], all = TABLE, version = VERSION): Promise<void> =>
    ensureSchedules(temporal.client, { served, all, version, log });

  async function found(id: string) {
    const { action, spec, policies } = await temporal.client.schedule.getHandle(id).describe();
    assert.equal(action.type, 'startWorkflow');
    return { type: action.workflowType, runTimeoutMs: action.workflowRunTimeout, spec, policies };
  }

  /** The listing of a server follows what it has by some moments. */
  async function listed(id: string, expected = true, { schedule } = temporal.client): Promise<void> {
    await waitUntil(`${id} is ${expected ? '' : 'not '}listed`, async () => {
      const ids: string[] = [];
      for await (const { scheduleId } of schedule.list()) ids.push(scheduleId);
      return ids.includes(id) === expected;
    });
  }

  async function isThere(id: string): Promise<boolean> {
    try {
      await temporal.client.schedule.getHandle(id).describe();
      return true;
    } catch (error) {
      if (error instanceof ScheduleNotFoundError) return false;
      throw error;
    }
  }

  it('every row of the table becomes a schedule, and again is no error', async () => {
    for (let round = 0; round < 2; round += 1) await ensure(TABLE);
    for (const { id, workflowType, overlap } of TABLE) {
      const { type, policies } = await found(id);
      assert.deepEqual([type, policies.overlap], [workflowType, overlap]);
    }
  });

  it('a run has the time that its row gives it, and one that is changed gets the new one', async () => {
    assert.equal((await found('anchor-night')).runTimeoutMs, 20 * HOUR_MS);
    const row = TABLE.find(({ id }) => id === 'anchor-night');
    assert.ok(row);
    await ensure([{ ...row, runTimeout: '55m' }]);
    assert.equal((await found('anchor-night')).runTimeoutMs, 55 * 60_000);
  });

  it('one that somebody has paused stays paused, and each worker that starts says so', async () => {
    const id = 'nightly-backups';
    const handle = temporal.client.schedule.getHandle(id);
    await handle.pause('the disk is full');
    left.length = 0;
    await ensure(TABLE);
    const remedy = `temporal schedule toggle --unpause --schedule-id ${id}`;
    assert.deepEqual(left, [{ scheduleId: id, note: 'the disk is full', remedy }]);
    assert.equal((await handle.describe()).state.paused, true);
    await handle.unpause();
    left.length = 0;
    await ensure(TABLE);
    assert.deepEqual(left, []);
  });

  it('a row that wants it runs at once, the others wait for their time', async () => {
    const runs = async (id: string): Promise<number> => {
      const { info } = await temporal.client.schedule.getHandle(id).describe();
      return info.recentActions.length + info.runningActions.length;
    };
    await waitUntil('a run at the start', async () => (await runs('reconcile-deploys')) > 0);
    assert.equal(await runs('prune-images'), 0);
  });

  it('a schedule that left the table is deleted, by a worker that serves none of the modules too', async () => {
    await ensure([RETIRED], [...TABLE, RETIRED]);
    await listed(RETIRED.id);
    await ensure([]);
    assert.equal(await isThere(RETIRED.id), false);
    for (const { id } of TABLE) assert.ok(await isThere(id), id);
  });

  it('one that a version without marks made is deleted once it leaves the table, and marked while it is in it', async () => {
    const [row] = TABLE;
    assert.ok(row);
    const handle = temporal.client.schedule.getHandle(row.id);
    const unmark = () =>
      handle.update(({ action, ...rest }) => {
        const { memo: _mark, ...unmarked } = action;
        return { ...rest, action: unmarked };
      });
    await unmark();
    await ensure(TABLE);
    assert.deepEqual((await handle.describe()).action.memo, { fairlead: VERSION });
    await unmark();
    await ensure([], TABLE.slice(1));
    assert.equal(await isThere(row.id), false);
    await ensure(TABLE);
  });

  it('a schedule of somebody else stays, whatever it starts', async () => {
    const own = {
      scheduleId: 'nightly-report',
      spec: { cronExpressions: ['0 2 * * *'] },
      action: { type: 'startWorkflow' as const, workflowType: 'pruneImages', taskQueue: 'fairlead' },
    };
    const handle = await temporal.client.schedule.create(own);
    await listed(own.scheduleId);
    await ensure(TABLE);
    assert.ok(await isThere(own.scheduleId));
    await handle.delete();
  });

  it('a schedule of somebody else whose values only they can read stays, and stops no worker at its start', async () => {
    const sealed = { metadata: { encoding: Buffer.from('binary/encrypted') }, data: Buffer.from('sealed') };
    const open = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"x"') };
    const codec = {
      encode: async (payloads: object[]) => payloads.map(() => sealed),
      decode: async (payloads: object[]) => payloads.map(() => open),
    };
    const theirs = new Client({
      connection: temporal.client.connection,
      dataConverter: { payloadCodecs: [codec] },
    });
    const handle = await theirs.schedule.create({
      scheduleId: 'sealed-report',
      spec: { cronExpressions: ['0 2 * * *'] },
      action: { type: 'startWorkflow', workflowType: 'report', taskQueue: 'theirs', args: ['x'], memo: { why: 'y' } },
      memo: { owner: 'z' },
    });
    await listed('sealed-report', true, theirs);
    await ensure([RETIRED], [...TABLE, RETIRED]);
    await listed(RETIRED.id, true, theirs);
    await ensure(TABLE);
    assert.equal(await isThere(RETIRED.id), false);
    await handle.delete();
    await listed('sealed-report', false, theirs);
  });

  it('one that a newer version made and no longer is in this table stays; one of an older goes', async () => {
    for (const [version, stays] of [
      ['1.10.0', true],
      ['1.2.1-rc.1', true],
      ['1.1.9', false],
      ['1.2.0-rc.2', false],
    ] as const) {
      left.length = 0;
      await ensure([RETIRED], [...TABLE, RETIRED], version);
      await listed(RETIRED.id);
      await ensure([]);
      assert.equal(await isThere(RETIRED.id), stays, version);
      assert.deepEqual(left, stays ? [{ scheduleId: RETIRED.id, madeBy: version, version: VERSION }] : []);
      if (!stays) continue;
      await temporal.client.schedule.getHandle(RETIRED.id).delete();
      await listed(RETIRED.id, false);
    }
  });

  it('an older worker neither changes nor runs what a newer version made; the newer one changes it', async () => {
    const row = { ...RETIRED, atStart: true };
    const runTimeoutMs = async () => (await found(row.id)).runTimeoutMs;
    const runs = async () => (await temporal.client.schedule.getHandle(row.id).describe()).info.numActionsTaken;
    await ensure([RETIRED], [...TABLE, RETIRED], '1.3.0-alpha');
    left.length = 0;
    await ensure([{ ...row, runTimeout: '55m' }], [...TABLE, RETIRED]);
    assert.deepEqual([await runTimeoutMs(), await runs()], [30 * 60_000, 0]);
    assert.deepEqual(left, [{ scheduleId: row.id, madeBy: '1.3.0-alpha', version: VERSION }]);
    await ensure([{ ...row, runTimeout: '55m' }], [...TABLE, RETIRED], '1.3.0');
    assert.equal(await runTimeoutMs(), 55 * 60_000);
    await waitUntil('the newer one runs it', async () => (await runs()) === 1);
    await temporal.client.schedule.getHandle(row.id).delete();
  });
});
