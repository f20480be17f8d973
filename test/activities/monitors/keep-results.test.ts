import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKeepResults } from '../../../activities/monitors/keep-results.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { MonitorResult } from '../../../domain/monitors/check-result.ts';
import type { ShardSpool } from '../../../domain/monitors/result-spool.ts';

const result = (at: number): MonitorResult => ({
  ...{ monitorId: 'mon_a', at, outcome: 'ok', durationMs: 1, problem: null, status: 200, message: null },
});
const away = () => new FairleadError('UNAVAILABLE', 'away', { retryable: true });

/** A spool whose files hold what one append brought. */
function memorySpool(): ShardSpool & { readonly waiting: MonitorResult[][]; isFull: boolean } {
  const waiting: MonitorResult[][] = [];
  return {
    ...{ waiting, isFull: false },
    async append(results) {
      if (this.isFull) throw new Error('ENOSPC');
      waiting.push([...results]);
    },
    async oldest() {
      const [results] = waiting;
      return results === undefined ? null : { results, done: async () => void waiting.shift() };
    },
  };
}

function world() {
  const recorded: number[] = [];
  const warnings: string[] = [];
  const origins: string[] = [];
  const state = { now: 0, error: null as Error | null };
  const spool = memorySpool();
  const keep = createKeepResults({
    recorder: {
      async record(results, from) {
        if (state.error !== null) throw state.error;
        recorded.push(...results.map(({ at }) => at));
        origins.push(from);
      },
    },
    spool,
    nowMs: () => state.now,
    warn: (_problem, message) => warnings.push(message),
  });
  return { recorded, origins, warnings, state, spool, keep };
}

describe('results of a shard', () => {
  it('are recorded at once while the database is there, and nothing is written to the disk', async () => {
    const { recorded, spool, keep } = world();
    await keep([result(1)]);
    await keep([result(2), result(3)]);
    assert.deepEqual([recorded, spool.waiting], [[1, 2, 3], []]);
  });

  it('wait on the disk while it is away, and come after those that waited, in order, said once', async () => {
    const { recorded, warnings, state, spool, keep } = world();
    await keep([result(1)]);
    state.error = away();
    for (let at = 2; at <= 5; at += 1) {
      state.now += 200;
      await keep([result(at)]);
    }
    assert.equal(spool.waiting.length, 4);
    state.error = null;
    for (let at = 6; at <= 20; at += 1) {
      state.now += 200;
      await keep([result(at)]);
    }
    for (let look = 0; look < 30; look += 1) {
      state.now += 200;
      await keep([]);
    }
    assert.deepEqual(
      recorded,
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
    assert.deepEqual(warnings, ['results wait on the disk: the database does not take them']);
  });

  it('that a holder before left on the disk come first', async () => {
    const { recorded, origins, spool, keep } = world();
    spool.waiting.push([result(1)], [result(2)]);
    await keep([result(3)]);
    for (let look = 0; look < 5; look += 1) await keep([]);
    assert.deepEqual(recorded, [1, 2, 3]);
    assert.deepEqual(origins, ['disk', 'disk', 'disk']);
    await keep([result(4)]);
    assert.equal(origins.at(-1), 'checks');
  });

  it('are asked for a place once a second at most while the database is away', async () => {
    const { state, keep } = world();
    let asked = 0;
    const error = away();
    Object.defineProperty(state, 'error', {
      get() {
        asked += 1;
        return error;
      },
    });
    for (let look = 0; look < 50; look += 1) {
      state.now += 100;
      await keep([result(look)]);
    }
    // Each attempt looks twice: whether there is an error, and which.
    assert.ok(asked <= 2 * 6, `${asked / 2} attempts in five seconds`);
  });

  it('are lost, and that is said, when the disk is full as well: checks go on', async () => {
    const { warnings, state, spool, keep } = world();
    state.error = away();
    spool.isFull = true;
    await keep([result(1)]);
    assert.match(warnings.at(-1) ?? '', /results are lost/);
    spool.isFull = false;
    state.error = null;
    state.now += 2_000;
    await keep([result(2)]);
  });

  it('wait on the disk whatever the database throws, as when its own disk is full', async () => {
    const { recorded, state, spool, keep } = world();
    state.error = new Error('MongoServerError: No space left on device');
    await keep([result(1)]);
    await keep([result(2)]);
    assert.equal(spool.waiting.length, 2);
    state.error = null;
    state.now += 2_000;
    for (let look = 0; look < 5; look += 1) await keep([]);
    assert.deepEqual(recorded, [1, 2]);
  });

  it('are recorded while the disk where others wait cannot be read, or nothing there removed', async () => {
    const { recorded, warnings, spool, keep } = world();
    spool.oldest = async () => {
      throw new Error('EIO');
    };
    await keep([result(1)]);
    assert.deepEqual(recorded, [1]);
    assert.match(warnings.join(), /cannot be read or removed/);
    const other = world();
    other.spool.waiting.push([result(1)]);
    other.spool.oldest = async () => ({
      results: [result(1)],
      done: async () => {
        throw new Error('EROFS');
      },
    });
    for (let look = 2; look < 6; look += 1) await other.keep([result(look)]);
    assert.deepEqual(other.recorded, [1, 2, 3, 4, 5]);
    assert.equal(other.warnings.length, 1);
  });

  it('of a holder that was overtaken are refused', async () => {
    const { state, keep } = world();
    state.error = new FairleadError('CONFLICT', 'another holder');
    await assert.rejects(keep([result(1)]), { code: 'CONFLICT' });
  });
});
