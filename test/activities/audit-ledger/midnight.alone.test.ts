import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createLedgerSigner } from '../../../adapters/crypto/ledger-signer.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createCheckpointStore } from '../../../adapters/mongo/audit-ledger/checkpoints.ts';
import { createEventWriter } from '../../../adapters/mongo/audit-ledger/event-writer.ts';
import { endOfDay } from '../../../domain/audit-ledger/days.ts';
import type { EventStore } from '../../../domain/audit-ledger/ports.ts';
import { verifyHistory } from '../../../domain/audit-ledger/verify-history.ts';
import { draftOf } from '../../ports/audit-ledger/drafts.ts';
import type { Acknowledged, MidnightOrders } from './emit-through-midnight.ts';
import { DAY, useLedgerDay } from './use-ledger-day.ts';

const SCRIPT = fileURLToPath(new URL('./emit-through-midnight.ts', import.meta.url));
const MIDNIGHT = endOfDay(DAY).getTime();
/** How long processes write before midnight and, by their own clocks, after it. */
const WRITING_MS = 1_000;
const LATE_MS = 1_500;

/** A timer may fire a millisecond before its time by the clock. */
async function untilMidnight(aheadMs: number): Promise<void> {
  while (Date.now() + aheadMs < MIDNIGHT) await delay(MIDNIGHT - aheadMs - Date.now());
}

describe('a day that is closed at midnight sharp, while processes write whose clocks are late', {
  timeout: 300_000,
}, () => {
  const { parts, clock, run, emit, leavesOf } = useLedgerDay([]);

  async function startProcess(name: string) {
    const child = fork(SCRIPT, [name, parts.mongo.uri], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    const ended = once(child, 'exit').then(() => assert.fail(`${name} ended by itself`));
    ended.catch(() => undefined);
    await Promise.race([once(child, 'message'), ended]);
    const write = async (orders: MidnightOrders): Promise<readonly Acknowledged[]> => {
      child.send(orders);
      const [acknowledged] = await Promise.race([once(child, 'message') as Promise<[Acknowledged[]]>, ended]);
      child.disconnect();
      return acknowledged;
    };
    return { write, stop: () => child.send('stop') };
  }

  /** On the chain and on the closes of days. */
  async function verdictOf(namespace: string) {
    const { keys } = createLedgerSigner([Buffer.alloc(32, 1)]);
    const checkpoints = createCheckpointStore(parts.mongo.connection);
    const deps = { store: parts.ledger.events, checkpoints, ledgerName: 'audit.example.org', keys };
    const { valid, reason } = await verifyHistory({ kind: 'namespace', namespace, expectedHead: null }, deps);
    return [valid, reason];
  }

  /** Of events on both sides of midnight, those of the day are in its batch and no others. */
  async function eachInItsBatch(acknowledged: readonly Acknowledged[]): Promise<void> {
    const batched = new Set((await leavesOf(DAY)).map(({ eventId }) => eventId));
    const ofTheDay = acknowledged.filter(({ createdAt }) => createdAt < MIDNIGHT).length;
    assert.ok(ofTheDay > 20 && acknowledged.length - ofTheDay > 20, `${ofTheDay} of ${acknowledged.length}`);
    for (const { id, namespace, createdAt } of acknowledged) {
      assert.equal(batched.has(id), createdAt < MIDNIGHT, `${namespace} ${new Date(createdAt).toISOString()}`);
    }
  }

  it('has no event after a close with an earlier day, no gap, no fork, and every acknowledged event in the right batch', async () => {
    const [punctual, late] = await Promise.all([startProcess('punctual'), startProcess('late')]);
    const aheadMs = MIDNIGHT - WRITING_MS - Date.now();
    const until = MIDNIGHT + WRITING_MS;
    const orders = { aheadMs, until, emitters: 4, pauseMs: 20 };
    const writing = Promise.all([punctual.write(orders), late.write({ ...orders, aheadMs: aheadMs - LATE_MS })]);
    await untilMidnight(aheadMs);
    clock.now = new Date(Date.now() + aheadMs);
    await run('batchDay', DAY);
    const [byPunctual, byLate] = await writing;

    for (const acknowledged of [byPunctual, byLate]) await eachInItsBatch(acknowledged);
    // Writers whose clocks still said the evening before came after the close: to a chain that is used, and to new ones.
    const movedOn = byLate.filter(({ askedAt, createdAt }) => askedAt < MIDNIGHT && createdAt >= MIDNIGHT);
    assert.ok(
      movedOn.some(({ namespace }) => namespace === 'busy'),
      'the close came before a late writer',
    );
    assert.ok(
      movedOn.some(({ namespace }) => namespace.startsWith('new-')),
      'a namespace began late',
    );
    const namespaces = await parts.ledger.events.namespaces();
    assert.ok(namespaces.includes('busy') && namespaces.length > 20, `${namespaces.length} namespaces`);
    for (const namespace of namespaces) {
      assert.deepEqual(await verdictOf(namespace), [true, null], namespace);
    }
  });

  it('is closed while a process writes to a namespace without ever pausing', async () => {
    const process = await startProcess('eager');
    const aheadMs = MIDNIGHT - WRITING_MS - Date.now();
    const writing = process.write({ aheadMs, until: MIDNIGHT + 60_000, emitters: 32, pauseMs: 0 });
    await untilMidnight(aheadMs);
    clock.now = new Date(Date.now() + aheadMs);
    await run('batchDay', DAY);
    process.stop();
    await eachInItsBatch(await writing);
    assert.deepEqual(await verdictOf('busy'), [true, null]);
  });

  it('a namespace whose first writer was delayed while the day was closed begins after that day', async () => {
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    const written = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const { events } = parts.ledger;
    const slow: EventStore = {
      ...events,
      async append(batch) {
        written.resolve();
        await held.promise;
        return await events.append(batch);
      },
    };
    clock.now = new Date(MIDNIGHT - 1);
    const emitted = createEventWriter({ store: slow, newId, now: () => clock.now }).emit(
      draftOf({ namespace: 'born' }),
    );
    await written.promise;
    clock.now = new Date(MIDNIGHT);
    await run('batchDay', DAY);
    held.resolve();
    const { createdAt } = await emitted;
    assert.ok(createdAt.getTime() >= MIDNIGHT, createdAt.toISOString());
    assert.deepEqual(await verdictOf('born'), [true, null]);
  });
});
