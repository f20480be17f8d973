import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import type { FullDatabaseDisk } from './full-database-disk-child.ts';
import type { FullMongodbDisk } from './full-mongodb-disk-child.ts';
import { runOnSmallDisk } from './on-a-small-disk.ts';

const childAt = (name: string): string => join(import.meta.dirname, name);

describe('a disk of the PostgreSQL server that is full', { timeout: 300_000 }, () => {
  let outcome: FullDatabaseDisk;
  before(async () => {
    outcome = await runOnSmallDisk<FullDatabaseDisk>(childAt('full-database-disk-child.ts'), 160);
  });

  for (const mode of ['swap', 'in-place'] as const) {
    it(`fails a restore (${mode}): the database has what it had, and nothing of the restore is left`, () => {
      const { code, message, status, sums, left } = outcome.full[mode];
      assert.deepEqual([code, status], ['RESTORE_FAILED', 'failed'], message);
      assert.match(message, /No space left on device/);
      assert.ok(typeof sums[0] === 'string' && sums[0] !== outcome.sum, 'it is not what the archive has');
      assert.equal(sums[1], sums[0]);
      assert.deepEqual(left, []);
    });

    it(`fails no restore (${mode}) any more, once there is room`, () => {
      const { code, message, sums, left } = outcome.withRoom[mode];
      assert.equal(code, 'done', message);
      if (mode === 'in-place') assert.equal(sums[1], outcome.sum);
      assert.deepEqual(left, []);
    });
  }
});

/** MongoDB ends when it cannot write, as its stand-in does, and is started again. */
describe('a disk of the MongoDB server that is full', { timeout: 300_000 }, () => {
  let outcome: FullMongodbDisk;
  before(async () => {
    outcome = await runOnSmallDisk<FullMongodbDisk>(childAt('full-mongodb-disk-child.ts'), 128);
  });

  for (const mode of ['swap', 'in-place'] as const) {
    it(`fails a restore (${mode}), and nothing of it is left once the server is back`, () => {
      const { code, message, status, left } = outcome.full[mode];
      // Whichever is met first: the tool that could not write, or the server that is away then.
      assert.ok(['RESTORE_FAILED', 'UNAVAILABLE'].includes(code), `${code}: ${message}`);
      assert.deepEqual([status, left], ['failed', []]);
    });

    it(`fails no restore (${mode}) any more, once there is room`, () => {
      const { code, message, sums, left } = outcome.withRoom[mode];
      assert.equal(code, 'done', message);
      assert.equal(sums[1], outcome.sum);
      assert.deepEqual(left, []);
    });
  }

  it('leaves the database as it was, unless it was to be restored in place', () => {
    const [was, is] = outcome.full.swap.sums;
    assert.ok(was !== outcome.sum, 'it is not what the archive has');
    assert.equal(is, was);
  });

  it('fails a backup of which the server dies, and the bucket has nothing of it', () => {
    assert.deepEqual(outcome.backup, { status: 'failed', objects: 1 });
  });
});
