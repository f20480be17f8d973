import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createAnchoringActivities } from '../../../activities/audit-ledger/anchoring.ts';
import { createTreeBuilder } from '../../../adapters/merkle/tree-builder.ts';
import { ANCHORING_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { idOfKey } from '../../../adapters/mongo/audit-ledger/event-id.ts';
import type { Anchor, Batch } from '../../../domain/audit-ledger/batch.ts';
import { signAnchor } from '../../../domain/audit-ledger/batch-signature.ts';
import { createBatchCheck } from '../../../domain/audit-ledger/checked-batch.ts';
import type { Hash } from '../../../domain/audit-ledger/event.ts';
import { SILENT } from '../../activities/audit-ledger/use-ledger-day.ts';
import { draftOf } from '../../ports/audit-ledger/drafts.ts';
import { LEDGER, startLedger, type TestLedger } from '../../support/start-ledger.ts';

const DAY = '2026-01-05';
const FORGED: Hash = `0x${'66'.repeat(32)}`;

const PLACE: Anchor = {
  chainId: 31_337,
  contract: `0x${'c0'.repeat(20)}`,
  txHash: `0x${'11'.repeat(32)}`,
  blockNumber: 7,
  blockHash: `0x${'22'.repeat(32)}`,
  confirmedAt: new Date('2026-01-06T00:11:00Z'),
  explorerUrl: 'https://explorer.example/tx/0x11',
};

/** Who can write to the database, and has no key, makes nobody believe in an anchor. */
describe('what somebody put among the batches is told as not signed', () => {
  const clock = { now: new Date(`${DAY}T12:00:00Z`) };
  let ledger: TestLedger;
  let event: string;
  before(async () => {
    ledger = await startLedger({ now: () => clock.now });
    event = (await ledger.writer.emit(draftOf({ namespace: 'shop' }))).id;
    clock.now = new Date('2026-01-06T00:10:00Z');
  });
  after(() => ledger.stop());
  const records = () => ledger.db.collection<{ _id: string }>(ANCHORING_COLLECTIONS.batches);
  const found = async (): Promise<Batch> => (await ledger.batches.find(DAY)) ?? assert.fail();

  beforeEach(async () => {
    await records().deleteMany({});
    const { chainId, contract } = PLACE;
    const chain = { chainId, contract, anchor: () => assert.fail('nothing is sent'), rootOf: async () => null };
    const parts = {
      trees: createTreeBuilder(),
      chains: [chain],
      idOfKey,
      now: () => clock.now,
      platformOrg: 'platform',
    };
    const { batchDay } = createAnchoringActivities({ ...ledger.night, ...parts });
    await new MockActivityEnvironment({}, { logger: SILENT }).run(batchDay, DAY);
    await ledger.batches.putAnchor(DAY, await signAnchor(PLACE, await found(), LEDGER, ledger.signer));
  });

  /** What the API and the pages say of the anchor. */
  async function told() {
    const answers = await Promise.all(
      [`/v1/anchors?from=${DAY}&to=${DAY}`, `/v1/batches/${DAY}`, `/v1/proofs/${event}`].map(
        async (path) => (await ledger.call('platform', 'GET', path)).body.data,
      ),
    );
    const [listed, batch, proof] = answers;
    const [anchors, page] = await Promise.all(
      ['/audit/anchors', `/audit/events/${event}`].map(async (path) => await ledger.call('platform', 'GET', path)),
    );
    return {
      batches: [listed.days[0], batch, proof].map(({ signature }) => signature),
      anchors: [listed.days[0], batch, proof].map(({ anchors: [anchor] }) => anchor?.signature),
      pages: [anchors?.text ?? '', page?.text ?? ''],
    };
  }
  const all = (word: string) => [word, word, word];
  const LINK = 'https://explorer.example/tx/0x11';

  it('but for an anchor that the ledger signed', async () => {
    const { pages, ...checks } = await told();
    assert.deepEqual(checks, { batches: all('good'), anchors: all('good') });
    for (const page of pages) assert.ok(page.includes(LINK));
  });

  const anchored = 'anchors.0';
  for (const [what, change, anchor, batch] of [
    ['an anchor without a signature', { $unset: { [`${anchored}.signature`]: '' } }, 'missing', 'good'],
    ['an anchor with another transaction', { $set: { [`${anchored}.txHash`]: FORGED } }, 'wrong', 'good'],
    ['an anchor with another link', { $set: { [`${anchored}.explorerUrl`]: 'https://evil.example' } }, 'wrong', 'good'],
    ['another root', { $set: { root: FORGED } }, 'wrong', 'wrong'],
    ['another number of leaves', { $set: { leafCount: 3 } }, 'good', 'wrong'],
  ] as const) {
    it(what, async () => {
      await records().updateOne({ _id: DAY }, change as object);
      const day = (await ledger.call(null, 'GET', `/v1/anchors?from=${DAY}&to=${DAY}`)).body.data.days[0];
      assert.deepEqual([day.signature, day.anchors[0].signature], [batch, anchor]);
      const page = (await ledger.call('platform', 'GET', '/audit/anchors')).text;
      const words = { missing: 'not signed, not checked', wrong: 'does not match its signature', good: LINK };
      assert.ok(page.includes(words[anchor]), page);
      if (anchor !== 'good') assert.doesNotMatch(page, /explorer\.example|evil\.example/);
      assert.equal(page.includes(FORGED), false);
      if (what === 'another root') return;
      const proof = (await ledger.call('platform', 'GET', `/v1/proofs/${event}`)).body.data;
      assert.deepEqual([proof.signature, proof.anchors[0].signature], [batch, anchor]);
      const eventPage = (await ledger.call('platform', 'GET', `/audit/events/${event}`)).text;
      assert.ok(eventPage.includes(words[anchor]));
      assert.equal(eventPage.includes(`The batch of ${DAY}: does not match its signature`), batch === 'wrong');
    });
  }

  it('a batch whose signature was taken off, whatever its anchor proves: its chains and leaves may be others', async () => {
    await records().updateOne({ _id: DAY }, { $unset: { signature: '' }, $set: { chainIds: [1], leafCount: 99_999 } });
    const { batches, anchors } = await told();
    assert.deepEqual({ batches, anchors }, { batches: all('missing'), anchors: all('good') });
  });

  it('whatever was remembered of a record before it was changed', async () => {
    const check = createBatchCheck({ ledgerName: LEDGER, keys: ledger.signer.keys });
    const batch = await found();
    assert.equal(check(batch).signature, 'good');
    assert.equal(check(batch).signature, 'good');
    assert.equal(check({ ...batch, root: FORGED }).signature, 'wrong');
    assert.equal(
      createBatchCheck({ ledgerName: 'other.example.org', keys: ledger.signer.keys })(batch).signature,
      'wrong',
    );
  });
});
