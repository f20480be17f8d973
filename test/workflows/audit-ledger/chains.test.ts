import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { MockActivityEnvironment, type TestWorkflowEnvironment } from '@temporalio/testing';
import { type ChainDeps, createChainActivities } from '../../../activities/audit-ledger/chains.ts';
import { createLedgerSigner } from '../../../adapters/crypto/ledger-signer.ts';
import { createCheckpointStore } from '../../../adapters/mongo/audit-ledger/checkpoints.ts';
import { createEventStore } from '../../../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes } from '../../../adapters/mongo/audit-ledger/indexes.ts';
import { createVerificationRuns } from '../../../adapters/temporal/verification-runs.ts';
import { CHAIN_WORKFLOWS } from '../../../domain/audit-ledger/chain-messages.ts';
import { isCheckpointSigned, rootOfHeads } from '../../../domain/audit-ledger/checkpoint.ts';
import type { HistoryRequest } from '../../../domain/audit-ledger/verify-history.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { auditLedgerSchedules } from '../../../workflows/audit-ledger/schedules.ts';
import { eventsAfter } from '../../ports/audit-ledger/drafts.ts';
import { verificationRunsSuite } from '../../ports/audit-ledger/verification-runs.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';

const LEDGER = 'audit.example.org';
const signer = createLedgerSigner([Buffer.alloc(32, 5)]);
const NAMESPACE: HistoryRequest = { kind: 'namespace', namespace: 'a', expectedHead: null };

describe('the workflows on chains', { timeout: 300_000 }, () => {
  let env: TestWorkflowEnvironment;
  let worker: ModuleWorker;
  let mongo: TestMongo;
  let deps: ChainDeps;
  /** Calls of the store that fail before it answers again. */
  let outage = 0;
  /** What verifications wait for before they read a chain. */
  let gate: Promise<void> = Promise.resolve();
  before(async () => {
    mongo = await startMongo();
    const { db } = mongo.connection;
    await createLedgerIndexes(db);
    const store = createEventStore({ db });
    const failing = async () => {
      if (outage === 0) return store.namespaces();
      outage -= 1;
      throw new FairleadError('UNAVAILABLE', 'the database is away', { retryable: true });
    };
    deps = {
      store: {
        ...store,
        namespaces: failing,
        async head(...args) {
          await gate;
          return await store.head(...args);
        },
      },
      checkpoints: createCheckpointStore({ db }),
      ledgerName: LEDGER,
      signer,
      now: () => new Date(),
    };
    env = await startTimeSkipping();
    worker = await startModuleWorker(env.nativeConnection, {
      module: 'audit-ledger',
      activities: createChainActivities(deps),
    });
  });
  after(async () => {
    await worker.stop();
    await env.teardown();
    await mongo.stop();
  });

  const checkpoint = (workflowId: string): Promise<{ namespaces: number }> =>
    env.client.workflow.execute(CHAIN_WORKFLOWS.writeCheckpoints, { taskQueue: TASK_QUEUE, workflowId });

  it('an empty ledger has a checkpoint too', async () => {
    assert.deepEqual(await checkpoint('empty'), { namespaces: 0 });
    const [overall] = await deps.checkpoints.newest(null, 1);
    assert.equal(overall?.size, 0);
  });

  it('every namespace and the whole ledger get a signed checkpoint, once the database is back', async () => {
    const a = eventsAfter(null, [{ namespace: 'a' }, { namespace: 'a' }]);
    const b = eventsAfter(null, [{ namespace: 'b' }]);
    await deps.store.append(a);
    await deps.store.append(b);
    outage = 3;
    assert.deepEqual(await checkpoint('first'), { namespaces: 2 });
    const found = await Promise.all(['a', 'b', null].map((name) => deps.checkpoints.newest(name, 1)));
    const [ofA, ofB, overall] = found.flat();
    assert.ok(ofA && ofB && overall);
    assert.deepEqual([ofA.size, ofA.head, ofB.size, ofB.head], [2, a[1]?.eventHash, 1, b[0]?.eventHash]);
    const heads = [
      { namespace: 'b', chainIndex: 0, eventHash: ofB.head },
      { namespace: 'a', chainIndex: 1, eventHash: ofA.head },
    ];
    assert.deepEqual([overall.size, overall.head], [3, rootOfHeads(heads)]);
    for (const one of [ofA, ofB, overall]) assert.ok(isCheckpointSigned(one, LEDGER, signer.keys));
  });

  it('of two checkpoints the later one never tells of fewer events, whoever is late or has a clock that was set back', async () => {
    const namespace = 'late';
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000);
    const run = (time: Date) =>
      new MockActivityEnvironment().run(createChainActivities(deps).writeCheckpoints, time.toISOString());
    const sizes = async () => (await deps.checkpoints.newest(namespace, 9)).map(({ size }) => size);
    const [first] = eventsAfter(null, [{ namespace }]);
    assert.ok(first);
    await deps.store.append([first]);
    await assert.rejects(run(at(-120)), { code: 'UNAVAILABLE' }, 'an attempt that was held for two hours');
    await assert.rejects(run(at(120)), { code: 'UNAVAILABLE' }, 'a time that is far ahead');
    assert.deepEqual(await sizes(), []);
    await run(at(1));
    await deps.store.append(eventsAfter(first, [{ namespace }]));
    await run(at(-1));
    assert.deepEqual(await sizes(), [1], 'one of an earlier time that looks later');
    await run(at(2));
    assert.deepEqual(await sizes(), [2, 1]);
  });

  it('a verification in the background tells where the chain breaks, to its owner alone', async () => {
    const runs = createVerificationRuns(env.client);
    const first = await runs.start('acme', NAMESPACE);
    await env.client.workflow.getHandle('verification/acme/1').result();
    const good = await runs.find(first, 'acme');
    assert.deepEqual([good?.status, good?.verdict?.valid, good?.verdict?.count], ['completed', true, 2]);
    assert.equal(await runs.find(first, 'other'), null);
    await mongo.connection.db
      .collection('audit_ledger_events')
      .updateOne({ namespace: 'a', chainIndex: 1 }, { $set: { entityId: 'changed' } });
    const second = await runs.start('acme', NAMESPACE);
    await env.client.workflow.getHandle('verification/acme/1').result();
    const bad = await runs.find(second, 'acme');
    assert.deepEqual(bad?.verdict?.brokenAt, { namespace: 'a', chainIndex: 1 });
    assert.equal(bad?.verdict?.reason, 'altered');
    assert.equal((await runs.find(first, 'acme'))?.verdict?.valid, true, 'each keeps its own');
  });

  verificationRunsSuite(
    () => createVerificationRuns(env.client),
    async (work) => {
      const held = Promise.withResolvers<void>();
      gate = held.promise;
      await work().finally(() => held.resolve());
    },
  );

  it('checkpoints are written every hour, one run at a time', () => {
    const schedule = auditLedgerSchedules.find(({ workflowType }) => workflowType === CHAIN_WORKFLOWS.writeCheckpoints);
    assert.deepEqual([schedule?.cron, schedule?.overlap], ['0 * * * *', 'SKIP']);
  });
});
