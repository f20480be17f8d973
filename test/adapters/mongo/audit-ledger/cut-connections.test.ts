import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createEventStore } from '../../../../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes, LEDGER_COLLECTIONS } from '../../../../adapters/mongo/audit-ledger/indexes.ts';
import { verifyChain } from '../../../../domain/audit-ledger/verify-chain.ts';
import { collect } from '../../../ports/audit-ledger/collect.ts';
import { type CuttingProxy, startCuttingProxy } from '../../../support/cutting-proxy.ts';
import { startMongo, type TestMongo } from '../../../support/start-mongo.ts';
import type { AcknowledgedEvent } from './emit-through-cuts.ts';

const SCRIPT = fileURLToPath(new URL('./emit-through-cuts.ts', import.meta.url));
const NAMESPACE = 'payments';
const PROCESSES = 4;
/** Of one process: events that arrive together share a write. */
const EMITTERS = 2;
/** Between write and acknowledgement, besides those within a command. */
const CUTS = 1_000;

// How long a thousand connections take is for the machine to say.
describe('processes whose connections to the database are cut', { timeout: 400_000 }, () => {
  let mongo: TestMongo;
  let proxy: CuttingProxy;
  const children: ChildProcess[] = [];
  const reached = Promise.withResolvers<void>();
  before(async () => {
    mongo = await startMongo();
    await createLedgerIndexes(mongo.connection.db);
    const { hostname: host, port } = new URL(mongo.uri);
    proxy = await startCuttingProxy({
      server: { host, port: Number(port) },
      isMeant: ({ insert }) => insert === LEDGER_COLLECTIONS.events,
      next() {
        if (proxy.cuts.answer >= CUTS) reached.resolve();
        if (proxy.cuts.answer >= CUTS || Math.random() < 0.05) return null;
        return { of: Math.random() < 0.1 ? 'command' : 'answer', part: Math.random() };
      },
    });
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    await proxy.stop();
    await mongo.stop();
  });

  async function startProcess(name: string) {
    const uri = new URL(mongo.uri);
    uri.port = String(proxy.port);
    // After a cut the driver looks for the server again, by default not before half a second.
    uri.searchParams.set('minHeartbeatFrequencyMS', '1');
    const child = fork(SCRIPT, [name, uri.href, NAMESPACE, String(EMITTERS)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    children.push(child);
    const ended = once(child, 'exit').then(() => assert.fail(`${name} ended by itself`));
    ended.catch(() => undefined);
    await Promise.race([once(child, 'message'), ended]);
    return {
      begin: () => child.send('begin'),
      async end(): Promise<readonly AcknowledgedEvent[]> {
        child.send('end');
        const [acknowledged] = await Promise.race([once(child, 'message') as Promise<[AcknowledgedEvent[]]>, ended]);
        child.disconnect();
        return acknowledged;
      },
      ended,
    };
  }

  it('4 processes cut off 1,000 times between write and acknowledgement leave no gap and no fork, and lose nothing acknowledged', async () => {
    const processes = await Promise.all(Array.from({ length: PROCESSES }, (_, index) => startProcess(`p${index}`)));
    for (const process of processes) process.begin();
    await Promise.race([reached.promise, ...processes.map(({ ended }) => ended)]);
    const acknowledged = (await Promise.all(processes.map((process) => process.end()))).flat();
    assert.ok(proxy.cuts.answer >= CUTS && proxy.cuts.command > 50, JSON.stringify(proxy.cuts));

    const kept = await collect(createEventStore(mongo.connection).stream(NAMESPACE, 0));
    const { valid, reason, brokenAt } = await verifyChain(kept);
    assert.deepEqual([valid, reason, brokenAt], [true, null, null]);
    for (const { key, chainIndex, eventHash } of acknowledged) {
      const event = kept[chainIndex];
      assert.deepEqual([event?.eventHash, event?.idempotency?.key], [eventHash, key]);
    }
    // Each was repeated until it was acknowledged: none is there twice, and none that nobody was told of.
    assert.equal(new Set(kept.map(({ entityId }) => entityId)).size, kept.length);
    assert.equal(acknowledged.length, kept.length);
    for (const { ended } of processes) await assert.rejects(ended);
  });
});
