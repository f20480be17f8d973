import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { WorkflowHandle } from '@temporalio/client';
import { LOOK_REQUESTED, pushWorkflowId, watchWorkflowId } from '../../../domain/git-hooks/messages.ts';
import { MOST_SIGNALS } from '../../../workflows/git-hooks/most-signals.ts';
import { ruleRecord } from '../../ports/git-hooks/records.ts';
import { MAIN } from '../../support/in-memory/git-hooks-parts.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { startPushes, type TestPushes } from './harness.ts';

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

describe('very many pushes', { timeout: 300_000 }, () => {
  let pushes: TestPushes;
  before(async () => {
    pushes = await startPushes();
  });
  beforeEach(() => {
    pushes.faults.before = {};
    pushes.faults.after = {};
  });
  after(() => pushes.stop());

  /** Signals in each run of a workflow, from one run on. */
  async function signalsByRun(workflowId: string, firstRunId: string): Promise<number[]> {
    const counts: number[] = [];
    for (let runId: string | null | undefined = firstRunId; runId; ) {
      const history: History = await pushes.env.client.workflow.getHandle(workflowId, runId).fetchHistory();
      const events = history.events ?? [];
      counts.push(events.filter((event) => event.workflowExecutionSignaledEventAttributes != null).length);
      runId = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    }
    return counts;
  }

  /** Deliveries of which one signal tells. */
  const deliveredTogether = (connectionId: string) =>
    Promise.all(Array.from({ length: 12 }, () => pushes.parts.delivered(connectionId)));

  it('of one branch, 12,000 while its host is waited for, are taken by runs of bounded length, and build the head once', async () => {
    const on = await pushes.parts.connected();
    pushes.parts.refs.commit(on.address, MAIN, { a: '1' });
    const host = Promise.withResolvers<void>();
    pushes.faults.before.lookAtRef = () => host.promise;
    const ids = [await pushes.push(on)];
    const workflowId = pushWorkflowId({ connectionId: on.connection.id, ref: MAIN });
    const branch = pushes.env.client.workflow.getHandle(workflowId);
    const { runId } = await branch.describe();
    for (const _run of [1, 2]) {
      const before = (await branch.describe()).runId;
      for (let sent = 0; sent < MOST_SIGNALS; sent += 20) {
        const more = await Promise.all(Array.from({ length: 20 }, () => deliveredTogether(on.connection.id)));
        await Promise.all(more.map((group) => branch.signal(LOOK_REQUESTED, ...group)));
        ids.push(...more.flat());
      }
      await waitUntil('the next run begins', async () => (await branch.describe()).runId !== before);
    }
    host.resolve();
    await pushes.looked(on);
    assert.equal(pushes.requestsOf(on).length, 1);
    const reasons = (await Promise.all(ids.map(pushes.reasonsOf))).map((of) => String(of));
    const deployed = reasons.filter((reason) => reason === 'deployed').length;
    assert.ok(deployed >= 5_000 && deployed < ids.length, `deployed: ${deployed}`);
    assert.deepEqual(
      new Set(reasons),
      new Set(['deployed', 'unchanged']),
      'the others are told with which they were looked at',
    );
    assert.equal(reasons.at(-1), 'deployed');
    const signals = await signalsByRun(workflowId, runId);
    assert.equal(
      signals.reduce((sum, count) => sum + count, 0),
      2 * MOST_SIGNALS,
    );
    assert.ok(signals.length >= 3, `runs: ${signals}`);
    assert.ok(
      signals.every((count) => count < 2 * MOST_SIGNALS),
      `runs: ${signals}`,
    );
  });

  it('of many branches are looked at some at a time, beside one that is under way', async () => {
    const on = await pushes.parts.connected({ baselineAt: new Date() }, [ruleRecord({ pattern: '*' })]);
    const refs = Array.from({ length: 60 }, (_, number) => `refs/heads/b${number}`);
    for (const ref of refs) pushes.parts.refs.commit(on.address, ref, { ref });
    const looking = new Set<string>();
    let most = 0;
    pushes.faults.before.lookAtRef = ({ ref = '' }) => {
      looking.add(ref);
      most = Math.max(most, looking.size);
    };
    pushes.faults.after.askForBuild = ({ ref = '' }) => {
      looking.delete(ref);
    };
    const { id: connectionId } = on.connection;
    const own = await pushes.push(on, refs[59]);
    const asked = await pushes.parts.delivered(connectionId, { ref: null });
    await pushes.commands.lookAtAll(connectionId, asked);
    await pushes.ended(watchWorkflowId(connectionId));
    await Promise.all(refs.map((ref) => pushes.looked(on, ref)));
    assert.equal(new Set(pushes.requestsOf(on).map(({ source }) => JSON.stringify(source))).size, 60);
    assert.equal(pushes.requestsOf(on).length, 60);
    assert.ok(most > 1 && most <= 11, `at once: ${most}`);
    assert.ok((await pushes.reasonsOf(own))?.includes('deployed'));
    assert.ok(((await pushes.reasonsOf(asked))?.length ?? 0) >= 59);
  });
});
