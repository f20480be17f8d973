import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { WorkflowFailedError } from '@temporalio/client';
import {
  ANCHORING_WORKFLOWS,
  anchorWorkflowId,
  type DayOutcome,
} from '../../../domain/audit-ledger/anchoring-messages.ts';
import { addDays } from '../../../domain/audit-ledger/days.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { auditLedgerSchedules } from '../../../workflows/audit-ledger/schedules.ts';
import { type AnchoringTemporal, CHAINS, createAnchoringTemporal, unreachable } from './harness.ts';

describe('the night of the ledger', { timeout: 300_000 }, () => {
  let temporal: AnchoringTemporal;
  let nights = 0;
  before(async () => {
    temporal = await createAnchoringTemporal();
  });
  after(() => temporal.stop());
  beforeEach(() => {
    const { state } = temporal;
    state.calls.length = 0;
    state.batched.clear();
    state.anchored.clear();
    state.days = null;
    state.awayUntil = null;
    state.down = () => null;
  });

  const start = (workflowType: string, args: unknown[] = [], workflowId = `${workflowType}-${nights++}`) =>
    temporal.client.workflow.start(workflowType, { taskQueue: TASK_QUEUE, workflowId, args });

  /** What the schedule of 00:10 starts, and what becomes of it. */
  async function night(): Promise<{ yesterday: string; outcome: DayOutcome }> {
    const yesterday = addDays(await temporal.skipTo('00:10'), -1);
    const day = await start(ANCHORING_WORKFLOWS.anchorDay, [yesterday], anchorWorkflowId(yesterday));
    return { yesterday, outcome: await day.result() };
  }

  async function check(): Promise<{ missed: readonly { day: string; chainId: number }[] }> {
    await temporal.skipTo('04:05');
    return await (await start(ANCHORING_WORKFLOWS.checkAnchors)).result();
  }

  const attemptsOn = (chainId: number) =>
    temporal.state.calls.filter((call) => call.endsWith(`on ${chainId}`)).map((call) => call.slice(0, 5));

  it('a night on which all goes well anchors yesterday once on each chain, and nothing is missed', async () => {
    const { yesterday, outcome } = await night();
    assert.deepEqual(outcome, {
      day: yesterday,
      root: '0xroot',
      chains: CHAINS.map((chainId) => ({ chainId, outcome: 'anchored', attempts: 1 })),
    });
    for (const chainId of CHAINS) assert.deepEqual(attemptsOn(chainId), ['00:10']);
    assert.equal(temporal.state.calls[0], `00:10 batch ${yesterday}`);
    assert.deepEqual((await check()).missed, []);
  });

  it('a chain that is down until 02:40 is reached at 03:10, and the other one does not wait for it', async () => {
    temporal.state.down = (chainId, time) => (chainId === 31_338 && time < '02:40' ? unreachable(chainId) : null);
    const { outcome } = await night();
    assert.deepEqual(attemptsOn(31_337), ['00:10']);
    assert.deepEqual(attemptsOn(31_338), ['00:10', '01:10', '02:10', '03:10']);
    assert.deepEqual(outcome.chains[1], { chainId: 31_338, outcome: 'anchored', attempts: 4 });
    assert.deepEqual((await check()).missed, []);
  });

  it('a chain that is down past 03:10 is given up for the night and reported at 04:05, the other is not', async () => {
    temporal.state.down = (chainId) => (chainId === 31_337 ? unreachable(chainId) : null);
    const { yesterday, outcome } = await night();
    assert.deepEqual(attemptsOn(31_337), ['00:10', '01:10', '02:10', '03:10']);
    assert.deepEqual(
      outcome.chains.map((chain) => chain.outcome),
      ['missed', 'anchored'],
    );
    assert.deepEqual((await check()).missed, [{ day: yesterday, chainId: 31_337 }]);
    assert.match(temporal.state.calls.at(-1) ?? '', /^04:05 check/);
  });

  it('a chain that refuses the root is not asked again', async () => {
    temporal.state.down = (chainId) =>
      chainId === 31_337 ? new FairleadError('ANCHOR_REFUSED', 'Chain 31337: another root stands') : null;
    const { outcome } = await night();
    assert.deepEqual(
      outcome.chains.map((chain) => chain.outcome),
      ['refused', 'anchored'],
    );
    assert.deepEqual(attemptsOn(31_337), ['00:10']);
  });

  it('a fault that passes within the attempt needs no other hour', async () => {
    let faults = 2;
    temporal.state.down = (chainId) =>
      chainId === 31_337 && faults-- > 0
        ? new FairleadError('UNAVAILABLE', 'The database cannot be reached', { retryable: true })
        : null;
    const { outcome } = await night();
    assert.deepEqual(outcome.chains[0], { chainId: 31_337, outcome: 'anchored', attempts: 1 });
    assert.equal(attemptsOn(31_337).length, 3);
  });

  it('a day started by hand in the afternoon is tried at once and then for three hours', async () => {
    temporal.state.down = (chainId) => unreachable(chainId);
    await temporal.skipTo('14:23');
    const outcome: DayOutcome = await (await start(ANCHORING_WORKFLOWS.anchorDay, ['2024-01-01'])).result();
    assert.deepEqual(attemptsOn(31_337), ['14:23', '15:10', '16:10', '17:10']);
    assert.equal(outcome.chains[0]?.outcome, 'missed');
  });

  it('a cancelled anchoring ends as cancelled and not as missed', async () => {
    temporal.state.down = (chainId) => unreachable(chainId);
    await temporal.skipTo('00:10');
    const handle = await start(ANCHORING_WORKFLOWS.anchorDay, ['2024-01-02']);
    while (attemptsOn(31_338).length === 0) await new Promise((resolve) => setImmediate(resolve));
    await handle.cancel();
    await assert.rejects(handle.result(), (error) => {
      assert.ok(error instanceof WorkflowFailedError);
      assert.equal(error.cause?.name, 'CancelledFailure');
      return true;
    });
  });

  it('a day whose database is away for half the night is batched when it is back, and each chain reached at once', async () => {
    temporal.state.awayUntil = '05:30';
    const { outcome } = await night();
    assert.deepEqual(
      outcome.chains,
      CHAINS.map((chainId) => ({ chainId, outcome: 'anchored', attempts: 1 })),
    );
    assert.match(temporal.state.calls[0] ?? '', /^05:3\d batch/);
  });

  for (const { id, cron, workflowType, runTimeout } of auditLedgerSchedules) {
    const [minute = '', hour = ''] = cron.split(' ');
    // Checkpoints have an hour, and their own suite.
    if (hour === '*') continue;
    it(`${id} of a night on which the database is away for hours is late, and not lost`, async () => {
      temporal.state.days = [];
      temporal.state.awayUntil = '09:00';
      await temporal.skipTo(`${Number(hour)}:${Number(minute)}`);
      const options = { taskQueue: TASK_QUEUE, workflowId: `${id}-late`, workflowRunTimeout: runTimeout };
      await temporal.client.workflow.execute(workflowType, options);
      assert.match(temporal.state.calls.at(-1) ?? '', /^09:0\d (list|check)/);
    });
  }

  // The last tests: once a child has outlived its parent, this server skips no time any more.
  it('the schedule anchors yesterday, and a second run of it finds that under way or done', async () => {
    const yesterday = addDays(await temporal.skipTo('00:10'), -1);
    await (await start(ANCHORING_WORKFLOWS.anchorNight)).result();
    await (await start(ANCHORING_WORKFLOWS.anchorNight)).result();
    await temporal.client.workflow.getHandle(anchorWorkflowId(yesterday)).result();
    assert.equal(temporal.state.calls[0], `00:10 list until ${yesterday}`);
    assert.deepEqual(
      [...temporal.state.anchored].sort(),
      CHAINS.map((chainId) => `${yesterday}/${chainId}`),
    );
  });

  it('days that an outage left behind are anchored as well, each by a workflow of its own', async () => {
    temporal.state.days = ['2024-02-28', '2024-02-29', '2024-03-01'];
    await (await start(ANCHORING_WORKFLOWS.anchorNight)).result();
    for (const day of temporal.state.days) await temporal.client.workflow.getHandle(anchorWorkflowId(day)).result();
    assert.deepEqual([...temporal.state.anchored].sort(), [
      ...['2024-02-28/31337', '2024-02-28/31338', '2024-02-29/31337'],
      ...['2024-02-29/31338', '2024-03-01/31337', '2024-03-01/31338'],
    ]);
  });
});
