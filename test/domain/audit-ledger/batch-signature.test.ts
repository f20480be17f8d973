import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createLedgerSigner } from '../../../adapters/crypto/ledger-signer.ts';
import type { Anchor, Batch } from '../../../domain/audit-ledger/batch.ts';
import { isAnchorSigned, isBatchSigned, signAnchor, signBatch } from '../../../domain/audit-ledger/batch-signature.ts';

const LEDGER = 'audit.example.org';
const signer = createLedgerSigner([Buffer.alloc(32, 1)]);
const UNSIGNED: Omit<Batch, 'anchors'> = {
  id: '2026-01-05',
  root: `0x${'aa'.repeat(32)}`,
  leafCount: 7,
  chainIds: [1, 137],
  closedAt: new Date('2026-01-06T00:10:00Z'),
};
const PLACE: Anchor = {
  chainId: 1,
  contract: `0x${'12'.repeat(20)}`,
  txHash: `0x${'11'.repeat(32)}`,
  blockNumber: 7,
  blockHash: `0x${'22'.repeat(32)}`,
  confirmedAt: new Date('2026-01-06T00:11:00Z'),
  explorerUrl: null,
};
const batch: Batch = { ...(await signBatch(UNSIGNED, LEDGER, signer)), anchors: [] };
const anchor = await signAnchor(PLACE, UNSIGNED, LEDGER, signer);
const { signature = assert.fail('it is signed') } = batch;

it('every field of a batch is signed, for this ledger alone', () => {
  assert.ok(isBatchSigned(batch, LEDGER, signer.keys));
  assert.ok(isBatchSigned({ ...batch, anchors: [anchor] }, LEDGER, signer.keys), 'anchors are signed by themselves');
  const changes: Partial<Batch>[] = [
    { id: '2026-01-04' },
    { root: `0x${'ab'.repeat(32)}` },
    { leafCount: 6 },
    { chainIds: [1] },
    { closedAt: new Date('2026-01-06T00:11:00Z') },
    { signature: { ...signature, keyId: 'other' } },
    { signature: { ...signature, signature: anchor.signature?.signature ?? '' } },
  ];
  for (const change of changes) {
    assert.ok(!isBatchSigned({ ...batch, ...change }, LEDGER, signer.keys), JSON.stringify(change));
  }
  assert.ok(!isBatchSigned(batch, 'other.example.org', signer.keys));
  const { signature: _, ...unsigned } = batch;
  assert.ok(!isBatchSigned(unsigned, LEDGER, signer.keys));
});

it('every field of an anchor is signed, and the root that it is of', () => {
  assert.ok(isAnchorSigned(anchor, batch, LEDGER, signer.keys));
  const changes: Partial<Anchor>[] = [
    { chainId: 137 },
    { contract: `0x${'13'.repeat(20)}` },
    { txHash: `0x${'33'.repeat(32)}` },
    { blockNumber: 8 },
    { blockHash: `0x${'44'.repeat(32)}` },
    { confirmedAt: new Date('2026-01-07T00:11:00Z') },
    { explorerUrl: 'https://elsewhere.example' },
    { signature },
  ];
  for (const change of changes) {
    assert.ok(!isAnchorSigned({ ...anchor, ...change }, batch, LEDGER, signer.keys), JSON.stringify(change));
  }
  assert.ok(!isAnchorSigned(anchor, { ...batch, root: `0x${'ab'.repeat(32)}` }, LEDGER, signer.keys));
  assert.ok(!isAnchorSigned(anchor, { ...batch, id: '2026-01-04' }, LEDGER, signer.keys));
  assert.ok(!isAnchorSigned(PLACE, batch, LEDGER, signer.keys));
});

it('a retired key has signed in its time and under the name of then, and nothing else', () => {
  const [key = assert.fail('there is one')] = signer.keys;
  const retired = (until: string) => [{ ...key, ledger: LEDGER, until: new Date(until) }];
  assert.ok(isBatchSigned(batch, 'new.example.org', retired('2026-01-06T00:10:00Z')));
  assert.ok(isAnchorSigned(anchor, batch, 'new.example.org', retired('2026-01-06T00:11:00Z')));
  assert.ok(!isBatchSigned(batch, 'new.example.org', retired('2026-01-06T00:09:59Z')));
  assert.ok(!isAnchorSigned(anchor, batch, 'new.example.org', retired('2026-01-06T00:10:59Z')));
});

it('a batch that says it was closed before its day was over counts as not signed: a key that leaked dates none back', async () => {
  const early = await signBatch({ ...UNSIGNED, closedAt: new Date('2026-01-05T23:59:59Z') }, LEDGER, signer);
  assert.ok(!isBatchSigned({ ...early, anchors: [] }, LEDGER, signer.keys));
});
