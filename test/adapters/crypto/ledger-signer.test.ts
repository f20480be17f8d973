import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLedgerSigner } from '../../../adapters/crypto/ledger-signer.ts';
import { isSigned } from '../../../domain/audit-ledger/receipt.ts';

const signer = createLedgerSigner([Buffer.alloc(32, 1), Buffer.alloc(32, 2)]);
const textsOf = (count: number, name: string): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name} ${index} ü`);

test('a text has one signature, and the current key checks it', async () => {
  const [current, former] = signer.keys;
  const signature = await signer.sign('a text');
  assert.ok(current && former);
  assert.ok(isSigned('a text', signature, current));
  assert.ok(!isSigned('a text', signature, former));
  assert.ok(!isSigned('another', signature, current));
});

for (const count of [0, 1, 31, 32, 500]) {
  test(`${count} texts at once are signed as each by itself, in their order`, async () => {
    const texts = textsOf(count, 'text');
    const alone = await Promise.all(texts.map((text) => signer.sign(text)));
    assert.deepEqual(
      (await signer.signAll(texts)).map((signature) => Buffer.from(signature)),
      alone.map((signature) => Buffer.from(signature)),
    );
  });
}

test('what several ask for at once does not get mixed up', async () => {
  const [key] = signer.keys;
  assert.ok(key);
  const asked = Array.from({ length: 8 }, (_, asker) => textsOf(64, `asker ${asker}`));
  const answers = await Promise.all(asked.map((texts) => signer.signAll(texts)));
  for (const [asker, texts] of asked.entries()) {
    for (const [index, text] of texts.entries()) {
      assert.ok(isSigned(text, answers[asker]?.[index] ?? new Uint8Array(), key));
    }
  }
});
