import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { shareFreshReads } from '../../../api/http/fresh-read.ts';

/** Reads that the test answers, in the order in which they began. */
function heldReads() {
  const begun: { readonly key: string; readonly answer: (value: string) => void; readonly fail: () => void }[] = [];
  const read = shareFreshReads(
    (key) =>
      new Promise<string>((resolve, reject) => {
        begun.push({ key, answer: resolve, fail: () => reject(new Error('away')) });
      }),
  );
  return { begun, read };
}

describe('reads that are shared and fresh', () => {
  it('are two for however many ask at once, and none begins before its question', async () => {
    const { begun, read } = heldReads();
    const first = read('a');
    const others = Array.from({ length: 100 }, () => read('a'));
    assert.equal(begun.length, 1);
    begun[0]?.answer('before');
    assert.equal(await first, 'before');
    begun[1]?.answer('after');
    assert.deepEqual(new Set(await Promise.all(others)), new Set(['after']));
    assert.equal(begun.length, 2);
  });

  it('begin anew for who asks after the last one ended', async () => {
    const { begun, read } = heldReads();
    for (const answer of ['one', 'two']) {
      const asked = read('a');
      begun.at(-1)?.answer(answer);
      assert.equal(await asked, answer);
    }
    assert.equal(begun.length, 2);
  });

  it('of several keys do not wait for each other', () => {
    const { begun, read } = heldReads();
    void read('a');
    void read('b');
    assert.deepEqual(
      begun.map(({ key }) => key),
      ['a', 'b'],
    );
  });

  it('give a failure to those who share it, and to nobody later', async () => {
    const { begun, read } = heldReads();
    const failed = read('a');
    const next = read('a');
    begun[0]?.fail();
    await assert.rejects(failed, /away/);
    begun[1]?.fail();
    await assert.rejects(next, /away/);
    const later = read('a');
    begun[2]?.answer('back');
    assert.equal(await later, 'back');
  });
});
