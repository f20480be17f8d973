import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ANCHORING_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { LEDGER_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/indexes.ts';
import { isBatchSigned } from '../../../domain/audit-ledger/batch-signature.ts';
import { addDays, daysBetween } from '../../../domain/audit-ledger/days.ts';
import { DAY, LEDGER_NAME, SIGNER, useLedgerDay } from './use-ledger-day.ts';

/** Two months: a month that the night lists, and a month before the first day of that. */
const CAUGHT_UP_DAYS = 62;
const NEXT = addDays(DAY, CAUGHT_UP_DAYS + 3);
const LAST = addDays(NEXT, -1);
const FIRST_CAUGHT_UP = addDays(NEXT, 1 - CAUGHT_UP_DAYS);

/** The batches are from before the ledger signed them, and it has no chain, or another contract, which knows none of them. */
describe('batches from before they were signed, for which no chain vouches', { timeout: 300_000 }, () => {
  const { parts, clock, run, reopen, emit, rewrite } = useLedgerDay([]);
  const records = () => parts.mongo.connection.db.collection<{ _id: string }>(ANCHORING_COLLECTIONS.batches);
  const events = () => parts.mongo.connection.db.collection(LEDGER_COLLECTIONS.events);

  async function night(day: string): Promise<readonly string[]> {
    clock.now = new Date(`${addDays(day, 1)}T00:10:00Z`);
    const days = await run('listDaysToAnchor', day);
    const refused: string[] = [];
    for (const each of days) await run('batchDay', each).catch(({ message }: Error) => refused.push(message));
    return refused;
  }

  /** Batches of days up to the last one, as a ledger of before left them. @returns their roots */
  async function unsigned(first: string): Promise<ReadonlyMap<string, string | undefined>> {
    const days = daysBetween(first, LAST);
    for (const day of days) {
      await emit('shop', 2, `${day}T10:00:00Z`);
      clock.now = new Date(`${addDays(day, 1)}T00:10:00Z`);
      await run('batchDay', day);
    }
    await records().updateMany({}, { $unset: { signature: '' } });
    await parts.mongo.connection.db.collection(LEDGER_COLLECTIONS.checkpoints).deleteMany({});
    reopen();
    return new Map(await Promise.all(days.map(async (day) => [day, await rootOf(day)] as const)));
  }

  const rootOf = async (day: string) => (await parts.ledger.batches.find(day))?.root;
  const isSigned = async (day: string): Promise<boolean> => {
    const batch = await parts.ledger.batches.find(day);
    return batch !== null && isBatchSigned(batch, LEDGER_NAME, SIGNER.keys);
  };

  async function upgrade(): Promise<readonly string[]> {
    await emit('shop', 2, `${NEXT}T10:00:00Z`);
    return await night(NEXT);
  }

  it('are checked from the first event on and signed with the roots that they had, those of two months; older ones stay as they are', async () => {
    const roots = await unsigned(DAY);
    assert.deepEqual(await upgrade(), []);
    for (const [day, root] of roots) {
      assert.equal(await rootOf(day), root, day);
      assert.equal(await isSigned(day), day >= FIRST_CAUGHT_UP, day);
    }
    assert.ok(await isSigned(NEXT));
    assert.deepEqual(await night(NEXT), [], 'and the next night finds nothing more to do');
  });

  it('are not signed over chains that were written anew', async () => {
    const roots = await unsigned(DAY);
    await rewrite();
    clock.now = new Date(`${addDays(NEXT, 1)}T00:10:00Z`);
    const refused = run('batchDay', FIRST_CAUGHT_UP);
    await assert.rejects(refused, {
      code: 'ANCHOR_REFUSED',
      message: /its close names the root .* and no batch has it/,
    });
    for (const [day, root] of roots) assert.deepEqual([await isSigned(day), await rootOf(day)], [false, root], day);
  });

  it('are not signed where an event of theirs was changed, nor is any after it', async () => {
    const first = addDays(LAST, -3);
    await unsigned(first);
    await events().updateOne({ namespace: 'shop', chainIndex: 0 }, { $set: { entityId: 'forged' } });
    const refused = await upgrade();
    assert.ok(refused.length > 0 && refused.every((message) => /altered/.test(message)), refused[0]);
    for (const day of daysBetween(first, NEXT)) assert.equal(await isSigned(day), false, day);
  });

  it('count for nothing once the ledger has signed one: none that is put beside it is built on', async () => {
    await unsigned(addDays(LAST, -3));
    await upgrade();
    const named = addDays(LAST, -1);
    const planted = { root: `0x${'66'.repeat(32)}`, leafCount: 1, chainIds: [], closedAt: clock.now, anchors: [] };
    await records().replaceOne({ _id: named }, planted);
    await emit('shop', 1, `${addDays(NEXT, 1)}T10:00:00Z`);
    assert.deepEqual(await night(addDays(NEXT, 1)), []);
    assert.notEqual(await rootOf(named), planted.root);
    assert.ok(await isSigned(named));
  });
});
