import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
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
    createServiceLogs({ directory: newFolder(), limits: { fileBytes, retain: 1, noteEveryBytes: 500 } }),
  );

  const opened = async (fileBytes = 1_000_000) => {
    const directory = newFolder();
    const logs = createServiceLogs({ directory, limits: { fileBytes, retain: 1, noteEveryBytes: 500 } });
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

  const at = (time: string) => new Date(`2026-01-${time}Z`);

  it('are rotated at midnight UTC by the next line or by the next look, and then compressed', async () => {
    const directory = newFolder();
    let now = at('01T12:00:00');
    const logs = createServiceLogs({ directory, now: () => now });
    const writer = await logs.takeOver();
    const [log, quiet] = [await writer.open(TARGET), await writer.open({ ...TARGET, environment: 'uat' })];
    const names = async (environment: string) => (await readdir(join(directory, 'svc_shop', environment))).sort();
    await log.append(linesOf(1, 1));
    await quiet.append(linesOf(1, 1));
    now = at('01T23:59:59');
    await writer.look();
    assert.deepEqual(await names('prod'), ['1.jsonl']);
    now = at('02T00:00:00');
    await log.append(linesOf(2, 2));
    assert.deepEqual(await names('prod'), ['1.jsonl', '2.jsonl']);
    await writer.look();
    assert.deepEqual(
      [await names('prod'), await names('uat')],
      [
        ['1.jsonl.gz', '2.jsonl'],
        ['1.jsonl.gz', '2.jsonl'],
      ],
    );
    now = at('03T00:00:00');
    await writer.look();
    assert.deepEqual(await names('uat'), ['1.jsonl.gz', '2.jsonl'], 'a file without a line is not rotated');
    assert.deepEqual(
      (await readAll(logs)).lines.map(({ text }) => text),
      ['line 1', 'line 2'],
    );
    await log.close();
    await quiet.close();
  });

  it('each place keeps its meaning when its file is compressed, and the positions are found in compressed files', async () => {
    const directory = newFolder();
    const logs = createServiceLogs({ directory, limits: { fileBytes: 3_000, noteEveryBytes: 500 } });
    const writer = await logs.takeOver();
    const log = await writer.open(TARGET);
    const lines = linesOf(1, 100);
    for (const line of lines) await log.append([line]);
    const { lines: stored } = await logs.last(TARGET, { count: 100, matches: () => true });
    assert.equal(stored.length, 100);
    await writer.look();
    assert.ok((await readdir(join(directory, 'svc_shop', 'prod'))).filter((name) => name.endsWith('.gz')).length > 2);
    assert.deepEqual((await logs.last(TARGET, { count: 100, matches: () => true })).lines, stored);
    for (const [index, { next }] of stored.entries()) {
      assert.deepEqual((await readAll(logs, next)).lines, lines.slice(index + 1));
    }
    await log.close();
    const newest = (await readdir(join(directory, 'svc_shop', 'prod'))).find((name) => name.endsWith('.jsonl')) ?? '';
    // As a writer leaves it that was killed right after it had begun the file.
    await truncate(join(directory, 'svc_shop', 'prod', newest), 0);
    const again = await (await logs.takeOver()).open(TARGET);
    const before = stored.findLast(({ next }) => next.file < Number.parseInt(newest, 10));
    assert.deepEqual(again.position('w1'), { out: before?.line.at });
    await again.close();
  });

  it('a log that cannot be looked after keeps no other from being', async () => {
    const directory = newFolder();
    const logs = createServiceLogs({ directory, limits: { fileBytes: 300, noteEveryBytes: 500 } });
    const writer = await logs.takeOver();
    const log = await writer.open({ ...TARGET, serviceId: 'svc_zoo' });
    for (let line = 0; line < 5; line += 1) await log.append(linesOf(line, line));
    // A folder in the place of a file that is to be compressed.
    await mkdir(join(directory, 'svc_bad', 'prod', '1.jsonl'), { recursive: true });
    await writeFile(join(directory, 'svc_bad', 'prod', '2.jsonl'), '');
    await assert.rejects(writer.look(), { code: 'EISDIR' });
    const names = await readdir(join(directory, 'svc_zoo', 'prod'));
    assert.deepEqual(names.filter((name) => !name.endsWith('.gz')).length, 1);
    await log.close();
  });

  it('are looked at from a time, and before one, wherever in the log that is', async () => {
    const directory = newFolder();
    const logs = createServiceLogs({ directory, limits: { fileBytes: 300_000, noteEveryBytes: 20_000 } });
    const writer = await logs.takeOver();
    const log = await writer.open(TARGET);
    const lines = linesOf(1, 20_000).map((line) => ({ ...line, text: `${line.text} ${'x'.repeat(60)}` }));
    for (let from = 0; from < lines.length; from += 500) await log.append(lines.slice(from, from + 500));
    await writer.look();
    const read = async (count: number, since: string | undefined, until: string | undefined) => {
      const span = { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
      const { lines: stored } = await logs.last(TARGET, { count, matches: () => true, ...span });
      return stored.map(({ line }) => line);
    };
    for (const end of [1, 2, 500, 501, 9_999, 17_000, 19_999, 20_000]) {
      const until = lines[end]?.at ?? '2027';
      assert.deepEqual(await read(3, undefined, until), lines.slice(Math.max(0, end - 3), end), `before ${end}`);
      const since = lines[Math.max(0, end - 2)]?.at;
      assert.deepEqual(await read(5, since, until), lines.slice(Math.max(0, end - 2), end), `to ${end}`);
    }
    assert.deepEqual(await read(3, undefined, lines[0]?.at), []);
    assert.deepEqual(await read(2, lines[19_998]?.at, undefined), lines.slice(19_998));
    await log.close();
  });
});
