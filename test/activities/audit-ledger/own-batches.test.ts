import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Contract } from 'ethers';
import { REGISTRY_ABI } from '../../../adapters/chain/registry-abi.ts';
import { ANCHORING_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { LEDGER_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/indexes.ts';
import type { Anchor, Batch } from '../../../domain/audit-ledger/batch.ts';
import { dayNumber } from '../../../domain/audit-ledger/days.ts';
import { type Hash, LEDGER_NAMESPACE } from '../../../domain/audit-ledger/event.ts';
import { EMPTY_DAY_ROOT } from '../../../domain/audit-ledger/merkle-proof.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { DAY, useLedgerDay } from './use-ledger-day.ts';

const CHAIN = 31_337;
const BEFORE = '2026-01-04';
const NIGHT = new Date('2026-01-06T00:10:00Z');
const FORGED: Hash = `0x${'66'.repeat(32)}`;
const NOTHING: Hash = `0x${'00'.repeat(32)}`;

const ANCHOR: Anchor = {
  chainId: CHAIN,
  contract: `0x${'12'.repeat(20)}`,
  txHash: `0x${'11'.repeat(32)}`,
  blockNumber: 7,
  blockHash: `0x${'22'.repeat(32)}`,
  confirmedAt: new Date('2026-01-06T00:11:00Z'),
  explorerUrl: null,
};

/** Whoever can write to the database, and has no key, gets no root of theirs onto a chain, and silences no alarm. */
describe('what somebody else put among the batches', { timeout: 300_000 }, () => {
  const { parts, clock, run, reopen, emit } = useLedgerDay([CHAIN]);
  const collection = (name: string) => parts.mongo.connection.db.collection<{ _id: string }>(name);
  const records = () => collection(ANCHORING_COLLECTIONS.batches);
  const found = async (day = DAY): Promise<Batch> => (await parts.ledger.batches.find(day)) ?? assert.fail(day);

  async function rootOnChain(day = DAY): Promise<string> {
    const [chain] = parts.chains;
    const contract = new Contract(chain?.contract ?? '', REGISTRY_ABI, chain?.provider ?? null);
    return (await contract.getFunction('anchors')(dayNumber(day))).root;
  }

  /** What the ledger makes of the day when nobody meddles, without a trace of it. */
  async function goodRoot(): Promise<string> {
    const { root } = await run('batchDay', DAY);
    await records().deleteOne({ _id: DAY });
    return root;
  }

  const away = (): void => {
    const [chain] = parts.ledger.chains;
    assert.ok(chain);
    const unreachable = () => Promise.reject(new FairleadError('CHAIN_UNREACHABLE', 'away'));
    reopen({ chains: [{ ...chain, anchor: unreachable, rootOf: unreachable }] });
  };

  it('a batch that the ledger did not make is not anchored', async () => {
    await emit('shop', 4, `${BEFORE}T10:00:00Z`);
    clock.now = new Date(`${DAY}T00:10:00Z`);
    await run('batchDay', BEFORE);
    await emit('shop', 4, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    const good = await goodRoot();
    const { signature } = await found(BEFORE);
    const planted = { _id: DAY, leafCount: 4, chainIds: [CHAIN], closedAt: NIGHT, anchors: [] };
    for (const forgery of [
      { ...planted, root: FORGED },
      { ...planted, root: EMPTY_DAY_ROOT, leafCount: 0 },
      { ...planted, root: FORGED, signature },
    ]) {
      await records().insertOne(forgery);
      assert.equal((await run('batchDay', DAY)).root, good);
      await run('anchorBatch', { day: DAY, chainId: CHAIN });
      assert.equal(await rootOnChain(), good);
      await records().deleteOne({ _id: DAY });
    }
  });

  it('one over events that were changed as well is refused, and nothing is anchored', async () => {
    await emit('shop', 4, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    await goodRoot();
    await collection(LEDGER_COLLECTIONS.events).updateOne({ namespace: 'shop' } as never, {
      $set: { entityId: 'forged' },
    });
    const planted = { root: FORGED, leafCount: 4, chainIds: [CHAIN], closedAt: NIGHT, anchors: [] };
    await records().insertOne({ _id: DAY, ...planted });
    await assert.rejects(run('batchDay', DAY), { code: 'ANCHOR_REFUSED' });
    await assert.rejects(run('anchorBatch', { day: DAY, chainId: CHAIN }), { code: 'ANCHOR_REFUSED' });
    assert.equal(await rootOnChain(), NOTHING);
    assert.deepEqual(await run('reportMissedAnchors', DAY), [{ day: DAY, chainId: CHAIN }]);
  });

  it('a root changed after it was checked is not anchored', async () => {
    await emit('shop', 4, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    const { root } = await run('batchDay', DAY);
    await records().updateOne({ _id: DAY }, { $set: { root: FORGED } });
    await run('anchorBatch', { day: DAY, chainId: CHAIN });
    assert.equal(await rootOnChain(), root);
    assert.equal((await found()).root, root);
  });

  it('chains that were taken off a batch are put on it again', async () => {
    await emit('shop', 4, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    await run('batchDay', DAY);
    await records().updateOne({ _id: DAY }, { $set: { chainIds: [] } });
    await run('batchDay', DAY);
    assert.deepEqual((await found()).chainIds, [CHAIN]);
  });

  it('no day builds on a batch of the day before that the ledger did not make', async () => {
    await emit('shop', 3, `${BEFORE}T10:00:00Z`);
    clock.now = new Date(`${DAY}T00:10:00Z`);
    const { root } = await run('batchDay', BEFORE);
    await emit('shop', 4, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    await records().updateOne({ _id: BEFORE }, { $set: { root: FORGED } });
    await run('batchDay', DAY);
    assert.equal((await found(BEFORE)).root, root, 'it is built anew, first');
    const close = await parts.ledger.events.findByIdempotencyKey(
      LEDGER_NAMESPACE,
      'internal:ledger',
      `ledger-close/${DAY}`,
    );
    const { payload = '' } = close ?? {};
    assert.deepEqual([payload.includes(root), payload.includes(FORGED)], [true, false], 'nor does the close name it');
  });

  it('an invented anchor silences no alarm, whatever contract it names', async () => {
    await emit('shop', 4, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    await run('batchDay', DAY);
    const [chain] = parts.ledger.chains;
    for (const contract of [ANCHOR.contract, chain?.contract ?? '']) {
      await parts.ledger.batches.putAnchor(DAY, { ...ANCHOR, contract });
      away();
      await assert.rejects(run('anchorBatch', { day: DAY, chainId: CHAIN }), { code: 'CHAIN_UNREACHABLE' });
      assert.deepEqual(await run('reportMissedAnchors', DAY), [{ day: DAY, chainId: CHAIN }]);
      reopen();
      assert.deepEqual(await run('reportMissedAnchors', DAY), [{ day: DAY, chainId: CHAIN }]);
    }
    await run('anchorBatch', { day: DAY, chainId: CHAIN });
    assert.notEqual((await found()).anchors[0]?.txHash, ANCHOR.txHash);
    assert.equal(await rootOnChain(), (await found()).root);
    assert.deepEqual(await run('reportMissedAnchors', DAY), []);
  });

  it('nor does a record that nobody can read', async () => {
    await emit('shop', 4, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    const good = await goodRoot();
    for (const junk of [{ _id: DAY }, { _id: '2026-01-05~' }, { _id: '2026-01-99' }]) await records().insertOne(junk);
    await emit('shop', 1, '2026-01-06T00:11:00Z');
    clock.now = new Date('2026-01-07T04:05:00Z');
    await run('batchDay', '2026-01-06');
    assert.deepEqual(await run('reportMissedAnchors', '2026-01-06'), [
      { day: DAY, chainId: CHAIN },
      { day: '2026-01-06', chainId: CHAIN },
    ]);
    assert.equal((await found()).root, good);
  });

  it('a batch and an anchor from before they were signed are kept where the contract has the root, and the anchor is signed', async () => {
    await emit('shop', 4, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    await run('batchDay', DAY);
    await run('anchorBatch', { day: DAY, chainId: CHAIN });
    await records().updateOne({ _id: DAY }, { $unset: { signature: '', 'anchors.0.signature': '' } });
    const before = await found();
    clock.now = new Date('2026-01-07T00:10:00Z');
    await run('batchDay', DAY);
    assert.deepEqual(await found(), before);
    assert.deepEqual(await run('reportMissedAnchors', DAY), []);
    await run('anchorBatch', { day: DAY, chainId: CHAIN });
    const [anchor] = (await found()).anchors;
    assert.equal(anchor?.txHash, before.anchors[0]?.txHash);
    assert.ok(anchor?.signature);
  });

  it('where no chain says whether a batch of before stands, it is waited for, and neither kept nor lost', async () => {
    await emit('shop', 4, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    await run('batchDay', DAY);
    await records().updateOne({ _id: DAY }, { $unset: { signature: '' } });
    const before = await found();
    away();
    await assert.rejects(run('batchDay', DAY), { code: 'CHAIN_UNREACHABLE', retryable: true });
    assert.deepEqual(await found(), before);
    reopen();
    await run('batchDay', DAY);
    const { signature, root } = await found();
    assert.ok(signature);
    assert.equal(root, before.root);
  });
});
