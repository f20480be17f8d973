import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Interface } from 'ethers';
import { REGISTRY_ABI } from '../../adapters/chain/registry-abi.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createAnchoringIndexes } from '../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { createBatchStore } from '../../adapters/mongo/audit-ledger/batches.ts';
import { createEventWriter } from '../../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes } from '../../adapters/mongo/audit-ledger/indexes.ts';
import { createAnchorCommands } from '../../adapters/temporal/anchor-commands.ts';
import { anchorWorkflowId, type DayOutcome } from '../../domain/audit-ledger/anchoring-messages.ts';
import { addDays, dayNumber, dayOf, startOfDay } from '../../domain/audit-ledger/days.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { workflowBundle } from '../../infra/dev/workflow-bundle.ts';
import { type RpcProxy, startRpcProxy } from '../adapters/chain/rpc-proxy.ts';
import { draftOf } from '../ports/audit-ledger/drafts.ts';
import { ANCHORER, startAnvil, type TestChain } from '../support/start-anvil.ts';
import { startMongo, type TestMongo } from '../support/start-mongo.ts';
import { startTemporal, type TestTemporal } from '../support/start-temporal.ts';
import { startWorker, type WorkerProcess } from '../support/start-worker.ts';

const CHAIN_ID = 31_337;

describe('a worker that is killed between sending an anchor and recording it', { timeout: 240_000 }, () => {
  let mongo: TestMongo;
  let temporal: TestTemporal;
  let chain: TestChain;
  let proxy: RpcProxy;
  let worker: WorkerProcess | null = null;
  before(async () => {
    [mongo, temporal, chain] = await Promise.all([startMongo(), startTemporal(), startAnvil(CHAIN_ID)]);
    await createLedgerIndexes(mongo.connection.db);
    await createAnchoringIndexes(mongo.connection.db);
    proxy = await startRpcProxy(chain.rpcUrl);
  });
  after(async () => {
    await worker?.kill('SIGKILL');
    await Promise.all([proxy.stop(), temporal.stop(), mongo.stop()]);
    await chain.stop();
  });

  const start = async (): Promise<WorkerProcess> =>
    await startWorker({
      MONGODB_URI: mongo.uri,
      TEMPORAL_ADDRESS: temporal.address,
      WORKFLOW_BUNDLE: await workflowBundle(process.env, silentReporter),
      LOG_LEVEL: 'silent',
      AUDIT_MONGODB_URI: mongo.uri,
      AUDIT_URL: 'http://audit.example.org',
      AUDIT_SIGNING_KEY: '05'.repeat(32),
      AUDIT_SIGNER_KEY: ANCHORER.privateKey.slice(2),
      AUDIT_CHAINS: JSON.stringify([
        { chainId: CHAIN_ID, rpcUrl: proxy.url, contract: chain.contract, finality: 'confirmations', confirmations: 1 },
      ]),
    });

  /** Transactions by which the contract took a root for a day. */
  async function anchoringsOf(day: string): Promise<readonly string[]> {
    const topics = new Interface(REGISTRY_ABI).encodeFilterTopics('Anchored', [dayNumber(day)]);
    const logs = await chain.provider.getLogs({ address: chain.contract, topics, fromBlock: 0 });
    return logs.map(({ transactionHash }) => transactionHash);
  }

  it('leaves the night to the next worker, which records the one anchor that there is', async () => {
    const { db } = mongo.connection;
    const batches = createBatchStore({ db });
    const day = addDays(dayOf(Date.now()), -1);
    const noon = new Date(startOfDay(day).getTime() + 12 * 3_600_000);
    const yesterday = createEventWriter({ store: createEventStore({ db }), newId, now: () => noon });
    await Promise.all(Array.from({ length: 5 }, () => yesterday.emit(draftOf())));
    // The node takes the transaction into its pool, and its answer never arrives.
    await chain.rpc('evm_setAutomine', false);
    const sent = Promise.withResolvers<void>();
    proxy.meddle = async (call, ask) => {
      const answer = await ask();
      if (call.method !== 'eth_sendRawTransaction') return answer;
      sent.resolve();
      return 'hang';
    };
    worker = await start();
    await temporal.client.schedule.getHandle('anchor-night').trigger();
    await Promise.race([sent.promise, worker.running]);
    assert.equal(await worker.kill('SIGKILL'), null);
    assert.equal(await chain.provider.getTransactionCount(ANCHORER.address, 'pending'), 1, 'it is on its way');
    assert.deepEqual((await batches.find(day))?.anchors, [], 'and nobody has recorded it');

    // Mined only after the next worker has had its chance to send another.
    const lookedFor = Promise.withResolvers<void>();
    proxy.meddle = async (call, ask) => {
      if (call.method === 'eth_getTransactionByHash') lookedFor.resolve();
      return await ask();
    };
    worker = await start();
    await Promise.race([lookedFor.promise, worker.running]);
    await chain.rpc('evm_setAutomine', true);
    await chain.rpc('evm_mine');
    const anchoring = temporal.client.workflow.getHandle(anchorWorkflowId(day));
    const outcome = await Promise.race([anchoring.result() as Promise<DayOutcome>, worker.running]);
    assert.deepEqual(outcome.chains, [{ chainId: CHAIN_ID, outcome: 'anchored', attempts: 1 }]);
    const batch = await batches.find(day);
    assert.deepEqual(
      batch?.anchors.map(({ txHash }) => txHash),
      await anchoringsOf(day),
    );
    assert.equal(await chain.provider.getTransactionCount(ANCHORER.address), 1, 'one transaction, not two');
    assert.equal(batch?.leafCount, 5 + ['payments', 'ledger'].length + 1);

    // Asked again by hand, the day finds its anchor.
    await createAnchorCommands(temporal.client).anchorDay(day);
    await Promise.race([anchoring.result(), worker.running]);
    assert.deepEqual((await batches.find(day))?.anchors, batch?.anchors);
    assert.equal(await chain.provider.getTransactionCount(ANCHORER.address), 1, 'nor one for whoever asks again');
    assert.equal(await worker.kill('SIGTERM'), 0);
  });
});
