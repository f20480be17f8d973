import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { openPartLog } from '../../../adapters/log-files/part-log.ts';
import { partLogFolder, rotationPath } from '../../../adapters/log-files/part-log-folder.ts';
import { createPlatformLogs } from '../../../adapters/log-files/platform-logs.ts';
import type { OutputStream } from '../../../domain/logs/output-line.ts';
import type { LogPlace } from '../../../domain/logs/service-log.ts';

let directory: string;
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'fairlead-platform-logs-'));
});
after(() => rm(directory, { recursive: true, force: true }));

function logOf(part: string, stream: OutputStream, fileBytes = 1_000_000) {
  const folder = partLogFolder(directory, { part, stream });
  assert.ok(folder);
  return openPartLog(folder, {
    rotation: { fileBytes, retain: 20, quotaBytes: 1_000_000 },
    now: () => new Date(),
    secrets: [],
  });
}

const all = { count: 100, matches: () => true };

describe('the logs of the platform’s programs', () => {
  it('are listed by part and output: those that are written, those that were rotated, and by which rule', async () => {
    const logs = createPlatformLogs({ directory });
    assert.deepEqual(await createPlatformLogs({ directory: join(directory, 'none') }).inventory(), {
      ...{ files: [], rotated: [], rotation: null },
    });
    const [worker, errors] = [logOf('worker', 'out', 20), logOf('worker', 'error')];
    for (let line = 1; line <= 3; line += 1) worker.write(Buffer.from(`line number ${line}\n`));
    await worker.look();
    // What is no log of ours.
    await writeFile(join(directory, 'worker.log'), 'of an earlier version\n');
    await mkdir(join(directory, 'Not-A-Part', 'out'), { recursive: true });
    await symlink('/etc', join(directory, 'etc'));
    const { files, rotated, rotation } = await logs.inventory();
    assert.deepEqual(
      [...files, ...rotated].map(({ path, part, stream }) => [path, part, stream]),
      [
        ['worker/out/3.log', 'worker', 'out'],
        ['worker/error/1.log', 'worker', 'error'],
        ['worker/out/1.log.gz', 'worker', 'out'],
        ['worker/out/2.log.gz', 'worker', 'out'],
      ],
    );
    assert.equal(files[0]?.sizeBytes, 14);
    assert.equal(rotation, null);
    await writeFile(rotationPath(directory), '{"fileBytes":20,"retain":20}');
    assert.deepEqual((await logs.inventory()).rotation, { fileBytes: 20, retain: 20 });
    worker.close();
    errors.close();
  });

  it('are read from the end and from any place on, across rotations and compressed files', async () => {
    const logs = createPlatformLogs({ directory });
    const target = { part: 'api', stream: 'out' } as const;
    const api = logOf('api', 'out', 200);
    for (let line = 1; line <= 60; line += 1) {
      api.write(Buffer.from(`line ${line}\n`));
      if (line === 40) await api.look();
    }
    const { lines, next, truncated } = await logs.last(target, all);
    assert.deepEqual(
      lines.map(({ text }) => text),
      Array.from({ length: 60 }, (_, index) => `line ${index + 1}`),
    );
    assert.equal(truncated, false);
    for (const [index, line] of lines.entries()) {
      const read: string[] = [];
      for (let place: LogPlace = line.next; ; ) {
        const more = await logs.after(target, place);
        if (more.lines.length === 0) break;
        read.push(...more.lines.map(({ text }) => text));
        place = more.next;
      }
      assert.deepEqual(
        read,
        lines.slice(index + 1).map(({ text }) => text),
      );
    }
    assert.deepEqual((await logs.after(target, next)).lines, []);
    assert.equal(await logs.has(target), true);
    assert.equal(await logs.has({ part: 'api', stream: 'error' }), false);
    api.close();
  });

  it('no name of a part leads out of their folder', async () => {
    const logs = createPlatformLogs({ directory: join(directory, 'worker') });
    for (const part of ['..', '../worker', '.', '', '/etc', 'a/../..', 'worker\0', 'x'.repeat(64), 'Worker']) {
      assert.equal(await logs.has({ part, stream: 'out' }), false, part);
      assert.deepEqual((await logs.last({ part, stream: 'out' }, all)).lines, [], part);
      assert.deepEqual((await logs.after({ part, stream: 'out' }, { file: 1, offset: 0 })).lines, [], part);
    }
  });
});
