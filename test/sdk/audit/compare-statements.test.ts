import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { createLedgerSigner } from '../../../adapters/crypto/ledger-signer.ts';
import { signCheckpoint, verifierKey } from '../../../domain/audit-ledger/checkpoint.ts';
import type { Hash, LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import { signReceipt } from '../../../domain/audit-ledger/receipt.ts';
import { compareStatements } from '../../../sdk/audit/compare-statements.ts';
import { parseStatement, type SignedStatement } from '../../../sdk/audit/signed-statement.ts';
import { DAY, eventsOfDay, SIGNER } from './anchored-day.ts';

const events = eventsOfDay(6);
const OTHER: Hash = `0x${'ab'.repeat(32)}`;
const LEDGER = 'a.example/x';
const keys = SIGNER.keys.map((key) => verifierKey(LEDGER, key));
const publicKeys = SIGNER.keys.map(({ publicKey }) => publicKey);

const eventAt = (index: number): LedgerEvent => {
  const event = events[index];
  assert.ok(event);
  return event;
};
const receipt = async (index: number, changes: Partial<LedgerEvent> = {}, signer = SIGNER): Promise<SignedStatement> =>
  parseStatement(JSON.parse(JSON.stringify(await signReceipt({ ...eventAt(index), ...changes }, signer))));
async function checkpoint(size: number, time = '13:00', changes: { head?: Hash; namespace?: string | null } = {}) {
  const fields = { namespace: 'shop', size, head: eventAt(size - 1).eventHash, ...changes };
  const signed = await signCheckpoint({ ...fields, time: new Date(`${DAY}T${time}:00.000Z`) }, LEDGER, SIGNER);
  return parseStatement({ success: true, data: { checkpoints: [JSON.parse(JSON.stringify(signed))] } });
}

/** Both ways round, as the order of the two means nothing. */
function verdictOf(first: SignedStatement, second: SignedStatement, given = keys) {
  const [one, two] = [compareStatements(first, second, given), compareStatements(second, first, given)];
  assert.equal(one.verdict, two.verdict);
  return one.verdict;
}

describe('two statements of a ledger', () => {
  it('contradict each other when one place of a chain has two hashes', async () => {
    const pairs = [
      [await receipt(2), await receipt(2, { eventHash: OTHER })],
      [await receipt(2), await receipt(3, { prevHash: OTHER })],
      [await receipt(2), await checkpoint(3, '13:00', { head: OTHER })],
      [await receipt(3), await checkpoint(3, '13:00', { head: OTHER })],
      [await checkpoint(3), await checkpoint(3, '14:00', { head: OTHER })],
      [
        await checkpoint(3, '13:00', { namespace: null }),
        await checkpoint(3, '14:00', { namespace: null, head: OTHER }),
      ],
      [await receipt(0, { prevHash: OTHER }), await receipt(4)],
    ] as const;
    for (const [index, [first, second]] of pairs.entries()) {
      assert.equal(verdictOf(first, second), 'refuted', `pair ${index}`);
    }
  });

  it('contradict each other when a chain has grown shorter, or a time in it gone back', async () => {
    assert.equal(verdictOf(await checkpoint(5, '13:00'), await checkpoint(4, '14:00')), 'refuted');
    const earlier = { createdAt: new Date(`${DAY}T11:59:59.999Z`) };
    assert.equal(verdictOf(await receipt(2), await receipt(4, earlier)), 'refuted');
    // Events are of 12:00.
    assert.equal(verdictOf(await receipt(4), await checkpoint(3, '12:11')), 'refuted');
    assert.equal(verdictOf(await receipt(4), await checkpoint(3, '12:10')), 'undecided');
  });

  it('are of one history when they tell the same hash of a place', async () => {
    for (const [first, second] of [
      [await receipt(2), await receipt(2)],
      [await receipt(2), await receipt(3)],
      [await receipt(2), await checkpoint(3)],
      [await receipt(3), await checkpoint(3, '12:00')],
      [await checkpoint(3, '13:00'), await checkpoint(3, '14:00')],
    ] as const) {
      assert.equal(verdictOf(first, second), 'proven');
    }
  });

  it('are not decided where they know no place in common, or are of two chains', async () => {
    assert.equal(verdictOf(await receipt(1), await receipt(4)), 'undecided');
    assert.equal(verdictOf(await receipt(0), await receipt(0, { namespace: 'bank', eventHash: OTHER })), 'undecided');
    assert.equal(
      verdictOf(await checkpoint(3), await checkpoint(3, '13:00', { namespace: null, head: OTHER })),
      'undecided',
    );
    assert.equal(verdictOf(await checkpoint(3), await checkpoint(5, '14:00')), 'undecided');
  });

  it('accuse nobody where one of them is not signed by a key that is given', async () => {
    const thief = createLedgerSigner([Buffer.alloc(32, 99)]);
    const forged = await receipt(2, { eventHash: OTHER }, thief);
    assert.equal(verdictOf(await receipt(2), forged), 'undecided');
    assert.equal(verdictOf(await receipt(2), await checkpoint(3, '13:00', { head: OTHER }), []), 'undecided');
    const { note } = (await checkpoint(3)).document as { note: string };
    for (const changed of [
      note.replace('\n3\n', '\n4\n'),
      note.replace('13:00', '14:00'),
      note.replace('/shop', '/bank'),
    ]) {
      assert.notEqual(changed, note);
      assert.ok(!parseStatement({ note: changed }).isSignedBy(keys), changed);
    }
  });

  it('do not contradict each other because somebody wrote another name of the ledger under them', async () => {
    const renamed = ({ document }: SignedStatement): SignedStatement => {
      const [text = '', signature = ''] = (document as { note: string }).note.split(`\n\n— ${LEDGER} `);
      const origin = text.split('\n')[0] ?? '';
      const signed = Buffer.from(signature, 'base64').subarray(4);
      const keyId = createHash('sha256')
        .update(`${origin}\n\x01`)
        .update(Buffer.from(publicKeys[0] ?? '', 'base64'))
        .digest();
      const line = Buffer.concat([keyId.subarray(0, 4), signed]).toString('base64');
      return parseStatement({ note: `${text}\n\n— ${origin} ${line}\n` });
    };
    const shop = renamed(await checkpoint(3));
    const bank = renamed(await checkpoint(3, '13:00', { namespace: 'bank', head: OTHER }));
    assert.equal(shop.namespace, null);
    assert.equal(verdictOf(shop, bank), 'undecided');
    const whole = await checkpoint(3, '13:00', { namespace: null, head: OTHER });
    assert.equal(verdictOf(shop, whole), 'undecided');
    // A key alone does not tell which part of the origin is the name.
    const unnamed = compareStatements(await checkpoint(3), await checkpoint(3, '14:00', { head: OTHER }), publicKeys);
    assert.equal(unnamed.verdict, 'undecided');
    assert.match(unnamed.checks[0]?.text ?? '', /^no key names its ledger/);
    assert.equal(verdictOf(await receipt(2), await receipt(3), publicKeys), 'proven');
  });

  it('are read from files as the ledger answers them, and nothing else is', async () => {
    const { note } = (await checkpoint(3)).document as { note: string };
    assert.deepEqual([(await checkpoint(3)).namespace, parseStatement({ note }).size], ['shop', 3]);
    const two = { success: true, data: { checkpoints: [{ note }, { note }] } };
    const bad = [
      {},
      [],
      'x',
      null,
      { note: 'x' },
      { note: `${note}x` },
      two,
      { receipt: {} },
      { note: note.replace('a.example/x/shop', 'b/shop') },
    ];
    for (const document of bad) {
      assert.throws(() => parseStatement(document), { code: 'VALIDATION_FAILED' }, JSON.stringify(document));
    }
  });
});
