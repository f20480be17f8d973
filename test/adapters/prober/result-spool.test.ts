import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createResultSpool } from '../../../adapters/prober/result-spool.ts';
import type { MonitorResult } from '../../../domain/monitors/check-result.ts';
import type { ShardSpool } from '../../../domain/monitors/result-spool.ts';

const result = (at: number): MonitorResult => ({
  ...{ monitorId: 'mon_a', at, outcome: 'failed', durationMs: 12, problem: 'status', status: 503 },
  message: 'answered 503 instead of 2xx',
});

async function drain(spool: ShardSpool): Promise<readonly number[]> {
  const times: number[] = [];
  for (let oldest = await spool.oldest(); oldest !== null; oldest = await spool.oldest()) {
    times.push(...oldest.results.map(({ at }) => at));
    await oldest.done();
  }
  return times;
}

describe('results on the disk', () => {
  let folder: string;
  let drops: number[];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-spool-'));
  });
  beforeEach(async () => {
    drops = [];
    await rm(folder, { recursive: true, force: true });
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const open = (shard = 0, limits = {}) =>
    createResultSpool({ folder, onDrop: (from) => drops.push(from), ...limits }).open(shard);

  it('come back as they were, in order, and each once', async () => {
    const spool = open();
    assert.equal(await spool.oldest(), null);
    await spool.append([result(1), { ...result(2), outcome: 'ok', problem: null, status: null, message: null }]);
    await spool.append([result(3)]);
    assert.deepEqual((await spool.oldest())?.results[0], result(1));
    assert.deepEqual(await drain(spool), [1, 2, 3]);
    assert.deepEqual(await drain(spool), []);
  });

  it('stay until they are done', async () => {
    const spool = open();
    await spool.append([result(1)]);
    await spool.oldest();
    assert.deepEqual(await drain(open()), [1]);
  });

  it('are in several files of a bounded size', async () => {
    const spool = open(0, { fileBytes: 500 });
    for (let at = 1; at <= 20; at += 1) await spool.append([result(at)]);
    assert.ok((await readdir(join(folder, '0'))).length >= 5);
    assert.deepEqual(
      await drain(spool),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  it('are bounded: the oldest are thrown away, and somebody is told', async () => {
    const spool = open(2, { fileBytes: 1, mostFiles: 3 });
    for (let at = 1; at <= 10; at += 1) await spool.append([result(at)]);
    assert.deepEqual(await drain(spool), [8, 9, 10]);
    assert.deepEqual(
      drops,
      Array.from({ length: 7 }, () => 2),
    );
  });

  it('of a holder that was killed come first, without the line that it had not written whole', async () => {
    await open().append([result(1)]);
    const [name = ''] = await readdir(join(folder, '0'));
    await appendFile(join(folder, '0', name), '{"monitorId":"mon_a","at":2,"outc');
    const next = open();
    await next.append([result(3)]);
    assert.deepEqual(await drain(next), [1, 3]);
  });

  it('that are appended while the oldest are read are not lost', async () => {
    const spool = open();
    await spool.append([result(1)]);
    const oldest = await spool.oldest();
    await spool.append([result(2)]);
    await oldest?.done();
    assert.deepEqual(await drain(spool), [2]);
  });

  it('of each shard are its own', async () => {
    await open(0).append([result(1)]);
    await open(1).append([result(2)]);
    assert.deepEqual([await drain(open(1)), await drain(open(0))], [[2], [1]]);
  });
});
