import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type EventDocument, eventDocument } from '../../../../adapters/mongo/audit-ledger/event-document.ts';
import { createSharedAppend } from '../../../../adapters/mongo/audit-ledger/shared-append.ts';
import { eventsAfter } from '../../../ports/audit-ledger/drafts.ts';

const documentsOf = (namespace: string, count: number): readonly EventDocument[] =>
  eventsAfter(
    null,
    Array.from({ length: count }, () => ({ namespace })),
  ).map(eventDocument);

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('appends that share a write', () => {
  it('those of one moment are one write, those that come during it the next, and no write is over the limit', async () => {
    const writes: number[] = [];
    const later: Promise<number>[] = [];
    const append = createSharedAppend(async (documents) => {
      writes.push(documents.length);
      if (later.length === 0) later.push(append(documentsOf('late', 2)), append(documentsOf('later', 3)));
      return documents.length;
    });
    const first = ['a', 'b', 'c'].map((namespace) => append(documentsOf(namespace, 4)));
    assert.deepEqual(await Promise.all(first), [4, 4, 4]);
    assert.deepEqual(await Promise.all(later), [2, 3]);
    assert.deepEqual(writes, [12, 5]);
    writes.length = 0;
    const large = await Promise.all(['d', 'e', 'f', 'g'].map((namespace) => append(documentsOf(namespace, 240))));
    assert.deepEqual(large, [240, 240, 240, 240]);
    assert.deepEqual(writes, [480, 480]);
  });

  it('all appends of a failed write fail, and the next write succeeds', async () => {
    let failing = true;
    const append = createSharedAppend(async (documents) => {
      if (failing) throw new Error('gone');
      return documents.length;
    });
    const failed = await Promise.allSettled(['a', 'b'].map((namespace) => append(documentsOf(namespace, 2))));
    assert.deepEqual(
      failed.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    failing = false;
    assert.equal(await append(documentsOf('a', 2)), 2);
  });

  it('what stands behind a refused event is written, whole and once', async () => {
    const kept: string[] = [];
    const refused = new Set(['b', 'd']);
    const append = createSharedAppend(async (documents) => {
      const end = documents.findIndex(({ namespace, chainIndex }) => refused.has(namespace) && chainIndex === 1);
      const durable = documents.slice(0, end === -1 ? undefined : end);
      kept.push(...durable.map(({ namespace, chainIndex }) => `${namespace}${chainIndex}`));
      return durable.length;
    });
    const appended = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((namespace) => append(documentsOf(namespace, 3))));
    assert.deepEqual(appended, [3, 1, 3, 1, 3]);
    assert.equal(new Set(kept).size, sum(appended));
    assert.equal(kept.length, sum(appended));
  });
});
