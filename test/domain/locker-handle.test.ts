import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatLockerHandle, lockerHandleSchema, parseLockerHandle } from '../../domain/locker-handle.ts';

it('reads a handle with and without a field, and writes it as it was', () => {
  const item = { owner: 'acme', vault: 'main', item: 'stripe_live-2', field: null };
  assert.deepEqual(parseLockerHandle('lk://acme/main/stripe_live-2'), item);
  assert.deepEqual(parseLockerHandle('lk://acme/main/stripe_live-2/API_KEY'), { ...item, field: 'API_KEY' });
  for (const handle of ['lk://acme/main/a', 'lk://me/main/a/B']) {
    const parsed = parseLockerHandle(handle);
    assert.ok(parsed);
    assert.equal(formatLockerHandle(parsed), handle);
  }
});

it('takes nothing for a handle that has anything else in it, and decodes nothing', () => {
  const longest = `lk://${['o', 'v', 'i', 'f'].map((letter) => letter.repeat(63)).join('/')}`;
  assert.ok(parseLockerHandle(longest));
  for (const text of [
    '',
    'lk:',
    'lk://',
    'lk://acme',
    'lk://acme/main',
    'lk://acme/main/',
    'lk://acme//a',
    'lk:///main/a',
    'lk://acme/main/a/',
    'lk://acme/main/a/b/c',
    'LK://acme/main/a',
    'lk:/acme/main/a',
    'https://acme/main/a',
    ' lk://acme/main/a',
    'lk://acme/main/a\n',
    'lk://acme/main/a\u0000',
    'lk://Acme/main/a',
    'lk://acme/Main/a',
    'lk://acme/main/..',
    'lk://acme/../other/a',
    'lk://acme/./a',
    'lk://acme/main/a%2Fb',
    'lk://acme%2Fmain/a/b',
    'lk://acme/main%2f..%2fother/a',
    'lk://acme/main/a/b%00',
    'lk://аcme/main/a',
    'lk://acme/main/ａ',
    'lk://acme/main/a\u200b',
    'lk://acme@other/main/a',
    'lk://acme:80/main/a',
    'lk://acme/main/a?x=1',
    'lk://acme/main/a#x',
    'lk://acme/main/a b',
    'lk://acme/main/__proto__',
    `${longest}x`,
    `lk://acme/main/${'a'.repeat(10_000)}`,
  ]) {
    assert.equal(parseLockerHandle(text), null, JSON.stringify(text.slice(0, 60)));
    const refused = lockerHandleSchema.safeParse(text);
    assert.equal(refused.success, false);
    assert.ok(text.length < 8 || !JSON.stringify(refused.error?.issues.map(({ message }) => message)).includes(text));
  }
});
