import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differences, readPage } from './read-page.ts';

test('blocks of shell come in order with the reply that follows, other languages are passed over', () => {
  const page = '# A\n\n```sh\none\n```\n\n```ts\nno\n```\n\n```json\n{"a":1}\n```\n\n```sh\ntwo\nthree\n```\n';
  assert.deepEqual(readPage(page), [
    { shell: 'one\n', line: 4, expected: { a: 1 } },
    { shell: 'two\nthree\n', line: 16, expected: undefined },
  ]);
  assert.throws(() => readPage('```json\n{}\n```\n'), /line 1/);
});

test('a reply has the fields and values that the page shows, and no others', () => {
  const shown = { id: '…', state: 'active', list: [{ a: 1 }, '…'] };
  assert.deepEqual(differences(shown, { id: 'x', state: 'active', list: [{ a: 1 }, { a: 2 }] }), []);
  assert.deepEqual(differences(shown, { id: 'x', state: 'next', list: [] }), [
    '.state: "next" instead of "active"',
    '.list: 0 elements',
  ]);
  assert.deepEqual(differences({ a: '…' }, { b: 1 }), ['.b: not on the page', '.a: missing']);
  assert.deepEqual(differences({ a: '…', '…': '…' }, { a: null, b: 1 }), []);
});
