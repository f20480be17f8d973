import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ANCHORING_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { LEDGER_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/indexes.ts';
import type { Batch } from '../../../domain/audit-ledger/batch.ts';
import { readPayload } from '../../../domain/audit-ledger/canonical.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { encodeRegistryCall } from '../../../infra/contracts/registry-calls.ts';
import { anchorRoot } from '../../sdk/audit/anchored-day.ts';
import { DAY, useLedgerDay } from './use-ledger-day.ts';

const CHAIN = 31_337;
const BEFORE = '2026-01-04';
const AFTER = '2026-01-06';
const NIGHT = new Date('2026-01-06T00:10:00Z');
const NEXT_NIGHT = new Date('2026-01-07T00:10:00Z');

/** Who can write to the database deletes the record of a batch: what the chain and the closes know of it, the night knows. */
describe('a day whose batch was deleted', { timeout: 300_000 }, () => {
  const { parts, clock, run, reopen, emit, rewrite } = useLedgerDay([CHAIN]);
  const db = () => parts.mongo.connection.db;
  const records = () => db().collection<{ _id: string }>(ANCHORING_COLLECTIONS.batches);
  const found = async (day: string): Promise<Batch> => (await parts.ledger.batches.find(day)) ?? assert.fail(day);
  const lose = async (day: string) => await records().deleteOne({ _id: day });
  const refused = (day: string, message: RegExp) =>
    assert.rejects(run('batchDay', day), { code: 'ANCHOR_REFUSED', message });

  /** As its workflow does: a chain that has not mined yet is asked again. */
  async function anchor(day: string, attempts = 10): Promise<void> {
    await run('anchorBatch', { day, chainId: CHAIN }).catch(async (error: unknown) => {
      if (attempts === 1 || !(error instanceof FairleadError) || error.code !== 'CHAIN_UNREACHABLE') throw error;
      await anchor(day, attempts - 1);
    });
  }

  async function day(name: string, night: Date, isAnchored = true): Promise<Batch> {
    await emit('shop', 3, `${name}T10:00:00Z`);
    clock.now = night;
    await run('batchDay', name);
    if (isAnchored) await anchor(name);
    return await found(name);
  }

  const dayBefore = (isAnchored = true) => day(BEFORE, new Date(`${DAY}T00:10:00Z`), isAnchored);

  /** Data of the ledger's own events of a type. */
  async function told(eventType: string): Promise<unknown[]> {
    const { items } = await parts.ledger.events.list({ orgSlug: null, eventType }, { cursor: null, limit: 50 });
    return items.map(({ payload }) => readPayload(payload).data);
  }

  const withoutChains = { chains: [] };

  for (const lost of ['its own', 'every']) {
    it(`(${lost} record) is not signed anew over chains that were written anew, and the next day does not build on it`, async () => {
      if (lost === 'every') await day('2026-01-03', new Date(`${BEFORE}T00:10:00Z`));
      const { root } = await dayBefore();
      await emit('shop', 5, `${DAY}T10:00:00Z`);
      clock.now = NIGHT;
      await (lost === 'every' ? records().deleteMany({}) : lose(BEFORE));
      await rewrite();
      await refused(DAY, new RegExp(`ledger: ${BEFORE} has no batch, and its root ${root} stands on chain ${CHAIN}`));
      await refused(BEFORE, new RegExp(`the root ${root} stands on chain ${CHAIN}`));
      assert.deepEqual([await parts.ledger.batches.find(BEFORE), await parts.ledger.batches.find(DAY)], [null, null]);
    });
  }

  it('is told as what it is: the chain holds a root that no batch has', async () => {
    const { root } = await dayBefore();
    await emit('shop', 5, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    await lose(BEFORE);
    await rewrite();
    await refused(DAY, /has no batch/);
    clock.now = new Date('2026-01-06T04:05:00Z');
    for (let round = 0; round < 2; round += 1) {
      assert.deepEqual(await run('reportMissedAnchors', DAY), [
        { day: BEFORE, chainId: CHAIN, standing: root },
        { day: DAY, chainId: CHAIN },
      ]);
    }
    assert.deepEqual(await told('anchor.unmatched'), [{ day: BEFORE, chainId: CHAIN, root: null, standing: root }]);
    assert.deepEqual(await told('anchor.missed'), [{ day: DAY, chainId: CHAIN, root: null }]);
  });

  it('does not block the day after the next', async () => {
    await dayBefore();
    await emit('shop', 5, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    await lose(BEFORE);
    await rewrite();
    await refused(DAY, /has no batch/);
    assert.equal((await day(AFTER, NEXT_NIGHT)).anchors.length, 1);
  });

  it('gets its batch and its anchors again where its events are what they were', async () => {
    const before = await dayBefore();
    await emit('shop', 5, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    await lose(BEFORE);
    await run('batchDay', DAY);
    assert.ok((await run('listDaysToAnchor', DAY)).includes(BEFORE));
    await anchor(BEFORE);
    const after = await found(BEFORE);
    assert.deepEqual([after.root, after.leafCount], [before.root, before.leafCount]);
    assert.equal(after.anchors[0]?.txHash, before.anchors[0]?.txHash);
    assert.deepEqual(await told('anchor.unmatched'), []);
  });

  it('gets its batch again also where that of the day before is gone for good', async () => {
    await dayBefore();
    const { root } = await day(DAY, NIGHT);
    await emit('shop', 1, `${AFTER}T10:00:00Z`);
    clock.now = NEXT_NIGHT;
    await records().deleteMany({});
    await db()
      .collection(LEDGER_COLLECTIONS.events)
      .updateOne({ namespace: 'shop', chainIndex: 0 }, { $set: { entityId: 'forged' } });
    await run('batchDay', AFTER);
    assert.deepEqual([await parts.ledger.batches.find(BEFORE), (await found(DAY)).root], [null, root]);
  });

  it('is found and mended between days that have theirs, for a week', async () => {
    const { root } = await dayBefore();
    await day(DAY, NIGHT);
    await lose(BEFORE);
    await emit('shop', 1, `${AFTER}T10:00:00Z`);
    clock.now = NEXT_NIGHT;
    const days = await run('listDaysToAnchor', AFTER);
    assert.deepEqual(days, [BEFORE, DAY, AFTER]);
    for (const name of days) await run('batchDay', name);
    assert.equal((await found(BEFORE)).root, root);
    await lose(BEFORE);
    clock.now = new Date('2026-01-12T00:10:00Z');
    assert.equal((await run('listDaysToAnchor', '2026-01-11'))[0], BEFORE);
    assert.ok(!(await run('listDaysToAnchor', '2026-01-12')).includes(BEFORE));
  });

  it('is none from before the ledger began, although somebody put a batch in front of it', async () => {
    await dayBefore();
    const planted = { root: `0x${'66'.repeat(32)}`, leafCount: 1, chainIds: [CHAIN], closedAt: NIGHT, anchors: [] };
    for (const _id of ['2025-06-01', '2026-01-01']) await records().insertOne({ _id, ...planted });
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    await run('batchDay', DAY);
    for (const name of ['2026-01-02', '2026-01-03']) assert.equal(await parts.ledger.batches.find(name), null);
    assert.deepEqual(await run('listDaysToAnchor', DAY), [BEFORE, DAY]);
  });

  it('is none either where somebody put a batch there before the first event of all', async () => {
    const planted = { root: `0x${'66'.repeat(32)}`, leafCount: 0, chainIds: [CHAIN], closedAt: NIGHT, anchors: [] };
    for (const _id of ['2026-01-01', '2026-01-03']) await records().insertOne({ _id, ...planted });
    clock.now = new Date(`${DAY}T00:10:00Z`);
    assert.deepEqual(await run('listDaysToAnchor', BEFORE), [BEFORE]);
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    assert.deepEqual(await run('listDaysToAnchor', DAY), [DAY]);
    await run('batchDay', DAY);
    assert.deepEqual(await run('listDaysToAnchor', DAY), [DAY]);
  });

  it('that no chain has does not get another root than the batch of the next day builds on', async () => {
    reopen(withoutChains);
    await dayBefore(false);
    await day(DAY, NIGHT, false);
    await lose(BEFORE);
    clock.now = NEXT_NIGHT;
    await rewrite();
    reopen(withoutChains);
    for (const name of [BEFORE, AFTER]) await refused(name, /its close of 2026-01-05 is not the one that was batched/);
  });

  it('that no chain has does not get another root than the close of the next day names, whose batch is lost as well', async () => {
    reopen(withoutChains);
    const { root } = await dayBefore(false);
    await day(DAY, NIGHT, false);
    await records().deleteMany({});
    clock.now = NEXT_NIGHT;
    await rewrite();
    reopen(withoutChains);
    await refused(BEFORE, new RegExp(`and the close of ${DAY} names the root ${root}`));
    await refused(DAY, new RegExp(`its close names the root ${root} of a day before`));
  });

  it('and neither where somebody put a batch with that root there again, which has no signature', async () => {
    reopen(withoutChains);
    const { root, leafCount, chainIds, closedAt } = await dayBefore(false);
    await day(DAY, NIGHT, false);
    await records().deleteMany({});
    clock.now = NEXT_NIGHT;
    await rewrite();
    reopen(withoutChains);
    await records().insertOne({ _id: BEFORE, ...{ root, leafCount, chainIds, closedAt, anchors: [] } });
    await refused(DAY, new RegExp(`its close names the root ${root} of a day before`));
  });

  /** The day was refused, and the day after it has a batch. @returns the place of the event that was changed, and repairs it */
  async function afterARefusedDay() {
    const events = db().collection(LEDGER_COLLECTIONS.events);
    await day('2026-01-03', new Date(`${BEFORE}T00:10:00Z`));
    await emit('shop', 3, `${BEFORE}T10:00:00Z`);
    const victim = { namespace: 'shop', chainIndex: 5 };
    const { entityId } = (await events.findOne(victim)) ?? assert.fail();
    await events.updateOne(victim, { $set: { entityId: 'forged' } });
    clock.now = new Date(`${DAY}T00:10:00Z`);
    await refused(BEFORE, /altered/);
    await day(DAY, NIGHT);
    clock.now = NEXT_NIGHT;
    return async () => await events.updateOne(victim, { $set: { entityId } });
  }

  it('was never there because the day was refused: it is built only as the batch of the next day knows it', async () => {
    const repair = await afterARefusedDay();
    await repair();
    await rewrite(6);
    await refused(BEFORE, /its close of 2026-01-05 is not the one that was batched/);
  });

  it('and whose events were repaired gets its batch late, where it leads to the batch of the next day', async () => {
    const repair = await afterARefusedDay();
    await repair();
    await run('batchDay', BEFORE);
    await anchor(BEFORE);
    assert.equal((await found(BEFORE)).anchors.length, 1);
  });

  it('cannot be told from one whose root a thief wrote first: both days come back once the owner has invalidated that root', async () => {
    const [chain] = parts.chains;
    assert.ok(chain);
    await anchorRoot(chain, `0x${'66'.repeat(32)}`, BEFORE, chain.contract);
    await emit('shop', 3, `${BEFORE}T10:00:00Z`);
    clock.now = new Date(`${DAY}T00:10:00Z`);
    await refused(BEFORE, /the root 0x6666\w+ stands on chain 31337/);
    await emit('shop', 3, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    await refused(DAY, /has no batch, and its root 0x6666/);
    await day(AFTER, NEXT_NIGHT);
    const data = encodeRegistryCall('invalidate', { day: BEFORE, reason: 'the key of the anchorer was stolen' });
    await chain.rpc('eth_sendTransaction', { from: chain.owner, to: chain.contract, data });
    await chain.rpc('evm_mine');
    clock.now = new Date('2026-01-08T00:10:00Z');
    for (const name of await run('listDaysToAnchor', '2026-01-07')) {
      await run('batchDay', name);
      await anchor(name);
    }
    for (const name of [BEFORE, DAY, AFTER]) assert.equal((await found(name)).anchors.length, 1, name);
    assert.deepEqual(await run('reportMissedAnchors', '2026-01-07'), []);
  });

  it('waits where no chain says whether a root stands', async () => {
    await dayBefore();
    await emit('shop', 5, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    await lose(BEFORE);
    const [chain] = parts.ledger.chains;
    assert.ok(chain);
    const unreachable = () => Promise.reject(new FairleadError('CHAIN_UNREACHABLE', 'away'));
    reopen({ chains: [{ ...chain, anchor: unreachable, rootOf: unreachable }] });
    for (const name of [BEFORE, DAY]) {
      await assert.rejects(run('batchDay', name), { code: 'CHAIN_UNREACHABLE', retryable: true });
    }
    assert.deepEqual([await parts.ledger.batches.find(BEFORE), await parts.ledger.batches.find(DAY)], [null, null]);
  });
});
