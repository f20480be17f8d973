import assert from 'node:assert/strict';
import { appendFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createServiceLogs } from '../../../adapters/log-files/service-logs.ts';
import { linesOf, readAll, serviceLogLine, serviceLogsSuite, TARGET } from '../../ports/service-logs.ts';

let root: string;
let folders = 0;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-service-logs-'));
});
after(() => rm(root, { recursive: true, force: true }));

const newFolder = () => join(root, `${++folders}`);

describe('logs of services as files', () => {
  serviceLogsSuite(async ({ fileBytes }) =>
    createServiceLogs({ directory: newFolder(), limits: { fileBytes, noteEveryBytes: 500 } }),
  );

  const opened = async (fileBytes = 1_000_000) => {
    const directory = newFolder();
    const logs = createServiceLogs({ directory, limits: { fileBytes, noteEveryBytes: 500 } });
    const reopen = async () => (await logs.takeOver()).open(TARGET);
    return { directory, folder: join(directory, 'svc_shop', 'prod'), logs, reopen, log: await reopen() };
  };

  it('are for their owner alone, and two files at most, each within its bytes', async () => {
    const { directory, folder, log } = await opened(2_000);
    for (let at = 0; at < 100; at += 1) await log.append(linesOf(at, at));
    const files = await readdir(folder);
    assert.equal(files.length, 2);
    for (const file of files) {
      const { size, mode } = await stat(join(folder, file));
      assert.ok(size <= 2_000, `${size} bytes`);
      assert.equal(mode & 0o777, 0o600);
    }
    assert.equal((await stat(directory)).mode & 0o777, 0o700);
    await log.close();
  });

  it('what a killed writer left of a line is cut off, and no reader ever sees it', async () => {
    const { folder, logs, log, reopen } = await opened();
    const [first, second] = linesOf(1, 2);
    assert.ok(first && second);
    await log.append([first]);
    const half = `${JSON.stringify(second)}`.slice(0, 60);
    await appendFile(join(folder, '1.jsonl'), half);
    assert.deepEqual((await readAll(logs)).lines, [first]);
    assert.equal((await logs.last(TARGET, { count: 5, matches: () => true })).lines.length, 1);
    const again = await reopen();
    assert.deepEqual(again.position('w1'), { out: first.at });
    await again.append([second]);
    assert.deepEqual((await readAll(logs)).lines, [first, second]);
    await log.close();
    await again.close();
  });

  it('a writer that was killed in the middle of a rotation leaves every position behind', async () => {
    const { folder, logs, log, reopen } = await opened(2_000);
    const quiet = serviceLogLine('once', { workload: 'quiet' });
    await log.append([quiet]);
    while (!(await readdir(folder)).includes('2.jsonl')) await log.append(linesOf(1, 2));
    const last = (await readAll(logs)).lines.at(-1);
    assert.ok(last);
    await log.close();
    const header = (await readFile(join(folder, '2.jsonl'), 'utf8')).indexOf('\n') + 1;
    const before = (await readAll(logs)).lines.length;
    for (let bytes = header; bytes >= 0; bytes -= 7) {
      await truncate(join(folder, '2.jsonl'), bytes);
      const again = await reopen();
      assert.deepEqual(again.position('quiet'), { out: quiet.at }, `killed after ${bytes} bytes`);
      await again.close();
    }
    assert.ok((await readAll(logs)).lines.length < before, 'the lines of the cut file are gone, no others');
  });

  it('lines with characters of many bytes are cut nowhere within one', async () => {
    const { logs, log } = await opened();
    await log.append(Array.from({ length: 300 }, (_, index) => serviceLogLine(`${'😀ü'.repeat(40)} ${index}`)));
    for (let count = 1; count < 60; count += 1) {
      const { lines } = await logs.last(TARGET, { count, matches: () => true });
      assert.ok(lines.every(({ line }) => line.text.startsWith('😀ü') && !line.text.includes('\uFFFD')));
    }
    await log.close();
  });

  it('a place within a line goes on with the next line', async () => {
    const { logs, log } = await opened();
    const lines = linesOf(1, 3);
    await log.append(lines);
    const first = (await logs.last(TARGET, { count: 3, matches: () => true })).lines[0]?.next;
    assert.ok(first);
    const read = await readAll(logs, { ...first, offset: first.offset - 5 });
    assert.deepEqual(read.lines, lines.slice(1));
    await log.close();
    await log.close();
  });

  it('what somebody else wrote into a file is passed over', async () => {
    const { folder, logs, log } = await opened();
    await log.append(linesOf(1, 1));
    await appendFile(join(folder, '1.jsonl'), 'no JSON\n{"text":1}\n\n');
    await log.append(linesOf(2, 2));
    assert.deepEqual(
      (await readAll(logs)).lines.map(({ text }) => text),
      ['line 1', 'line 2'],
    );
    await log.close();
    await log.close();
  });

  it('no id leads out of the folder', async () => {
    const { directory, logs, log } = await opened();
    await log.close();
    await writeFile(join(root, 'outside'), 'x');
    for (const serviceId of ['../..', '..', 'svc_../x', '', 'svc_A']) {
      await logs.remove(serviceId);
      assert.deepEqual((await logs.last({ ...TARGET, serviceId }, { count: 1, matches: () => true })).lines, []);
      await assert.rejects((await logs.takeOver()).open({ ...TARGET, serviceId }), { code: 'INTERNAL' });
    }
    assert.equal((await stat(directory)).isDirectory(), true);
  });
});
