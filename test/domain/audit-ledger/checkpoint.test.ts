import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { createLedgerSigner } from '../../../adapters/crypto/ledger-signer.ts';
import {
  isCheckpointSigned,
  ledgerNameOf,
  type NamespaceHead,
  rootOfHeads,
  signCheckpoint,
  verifierKey,
} from '../../../domain/audit-ledger/checkpoint.ts';
import type { Hash } from '../../../domain/audit-ledger/event.ts';
import { isReceiptSigned, signReceipt } from '../../../domain/audit-ledger/receipt.ts';
import { eventsAfter } from '../../ports/audit-ledger/drafts.ts';

const LEDGER = 'audit.example.org';
const signer = createLedgerSigner([Buffer.alloc(32, 1)]);
const stranger = createLedgerSigner([Buffer.alloc(32, 9)]);
const head = (byte: string): Hash => `0x${byte.repeat(32)}`;
const unsigned = { namespace: 'shop', size: 3, head: head('ab'), time: new Date('2026-11-21T12:00:00.000Z') };

describe('checkpoints', () => {
  it('are signed for what they say: a change of anything, or another key, shows', async () => {
    const good = await signCheckpoint(unsigned, LEDGER, signer);
    assert.ok(isCheckpointSigned(good, LEDGER, signer.keys));
    const changes = [
      { namespace: 'other' },
      { namespace: null },
      { size: 4 },
      { head: head('cd') },
      { time: new Date(0) },
      { note: good.note.replace('3', '4') },
      { note: `${good.note}x` },
      { note: '' },
    ];
    for (const change of changes) {
      assert.ok(!isCheckpointSigned({ ...good, ...change }, LEDGER, signer.keys), JSON.stringify(change));
    }
    assert.ok(!isCheckpointSigned(good, 'other.example.org', signer.keys));
    assert.ok(!isCheckpointSigned(good, LEDGER, stranger.keys));
    const forged = await signCheckpoint(unsigned, LEDGER, stranger);
    assert.ok(!isCheckpointSigned(forged, LEDGER, signer.keys));
  });

  it('survive a rotation of the key: the old one stays published', async () => {
    const old = await signCheckpoint(unsigned, LEDGER, signer);
    const rotated = createLedgerSigner([Buffer.alloc(32, 2), Buffer.alloc(32, 1)]);
    assert.ok(isCheckpointSigned(old, LEDGER, rotated.keys));
    assert.notEqual(rotated.keyId, signer.keyId);
  });

  it('verify with the keys and the name of their time, of which the public halves are left', async () => {
    const old = await signCheckpoint(unsigned, 'audit.before.example', signer);
    const [{ publicKey } = { publicKey: '' }] = signer.keys;
    const window = { from: new Date('2026-11-01T00:00:00.000Z'), until: new Date('2026-11-30T00:00:00.000Z') };
    const retired = (changes: object = {}) =>
      createLedgerSigner([Buffer.alloc(32, 2)], [{ publicKey, ledger: 'audit.before.example', ...window, ...changes }]);
    assert.ok(isCheckpointSigned(old, LEDGER, retired().keys));
    assert.ok(isCheckpointSigned(old, LEDGER, retired({ from: null, until: null }).keys));
    for (const changes of [
      { ledger: null },
      { ledger: 'audit.other.example' },
      { until: new Date('2026-11-21T11:59:59.999Z') },
      { from: new Date('2026-11-21T12:00:00.001Z') },
    ]) {
      assert.ok(!isCheckpointSigned(old, LEDGER, retired(changes).keys), JSON.stringify(changes));
    }
    assert.equal(retired().keyId, createLedgerSigner([Buffer.alloc(32, 2)]).keyId, 'it signs no more');
    assert.ok(verifierKey(LEDGER, retired().keys[1] ?? assert.fail()).startsWith('audit.before.example+'));
  });

  it('what is dated after a key was retired was not signed, though the key made the signature', async () => {
    const [{ publicKey } = { publicKey: '' }] = signer.keys;
    const until = new Date('2026-11-21T00:00:00.000Z');
    const { keys } = createLedgerSigner([Buffer.alloc(32, 2)], [{ publicKey, until }]);
    const late = await signCheckpoint(unsigned, LEDGER, signer);
    const early = await signCheckpoint({ ...unsigned, time: until }, LEDGER, signer);
    assert.deepEqual(
      [late, early].map((one) => isCheckpointSigned(one, LEDGER, keys)),
      [false, true],
    );
    const [before, after] = [until, unsigned.time].map((from) => eventsAfter(null, [{}], from)[0] ?? assert.fail());
    assert.ok(before && after);
    assert.ok(isReceiptSigned(await signReceipt(before, signer), keys));
    assert.ok(!isReceiptSigned(await signReceipt(after, signer), keys));
  });

  it('the root over all heads is that of RFC 6962, and does not depend on the order they come in', () => {
    const heads: NamespaceHead[] = ['a', 'b', 'c'].map((namespace, chainIndex) => {
      return { namespace, chainIndex, eventHash: head(`${namespace}0`) };
    });
    const hash = (...parts: (Buffer | string)[]) => {
      return parts.reduce((sum, part) => sum.update(part), createHash('sha256')).digest();
    };
    const [a, b, c] = heads.map(({ namespace, chainIndex, eventHash }) =>
      hash(Buffer.of(0), `${namespace}\n${chainIndex + 1}\n${eventHash}\n`),
    );
    assert.ok(a && b && c);
    const expected = hash(Buffer.of(1), hash(Buffer.of(1), a, b), c).toString('hex');
    assert.equal(rootOfHeads(heads), `0x${expected}`);
    assert.equal(rootOfHeads(heads.toReversed()), `0x${expected}`);
    assert.equal(rootOfHeads([]), `0x${hash().toString('hex')}`);
  });

  it('a ledger is named by its address without the scheme', () => {
    assert.equal(ledgerNameOf('https://audit.example.org/'), 'audit.example.org');
    assert.equal(ledgerNameOf('http://localhost:3005'), 'localhost:3005');
  });
});
