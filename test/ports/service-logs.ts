import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { LogPlace, ServiceLogLine, ServiceLogs, ServiceLogTarget } from '../../domain/logs/service-log.ts';

export const TARGET = { serviceId: 'svc_shop', environment: 'prod' } as const;

let printed = 0;

/** A line of a workload; each is later than the one before. */
export function serviceLogLine(text: string, changes: Partial<ServiceLogLine> = {}): ServiceLogLine {
  printed += 1;
  const at = `2026-01-01T00:00:00.${String(printed).padStart(9, '0')}Z`;
  return { at, stream: 'out', text, release: 'rel_1', workload: 'w1', ...changes };
}

export const linesOf = (from: number, to: number): ServiceLogLine[] =>
  Array.from({ length: to - from + 1 }, (_, index) => serviceLogLine(`line ${from + index}`));

const textsOf = (stored: readonly { readonly line: ServiceLogLine }[]) => stored.map(({ line }) => line.text);
const all = () => true;

/** Reads from a place to the end. */
export async function readAll(
  logs: ServiceLogs,
  from: LogPlace = { file: 0, offset: 0 },
  target: ServiceLogTarget = TARGET,
) {
  const lines: ServiceLogLine[] = [];
  let lost = false;
  for (let place = from; ; ) {
    const read = await logs.after(target, place);
    lost ||= read.lost;
    if (read.lines.length === 0) return { lines, lost, next: read.next };
    lines.push(...read.lines.map(({ line }) => line));
    place = read.next;
  }
}

/** What every {@link ServiceLogs} guarantees. `create` makes one that is rotated after so many bytes. */
export function serviceLogsSuite(create: (options: { fileBytes: number }) => Promise<ServiceLogs>): void {
  const opened = async (fileBytes = 1_000_000) => {
    const logs = await create({ fileBytes });
    const writer = await logs.takeOver();
    return { logs, log: await writer.open(TARGET) };
  };

  it('gives the last lines, oldest first, and says when there are older ones', async () => {
    const { logs, log } = await opened();
    const empty = await logs.last(TARGET, { count: 10, matches: all });
    assert.deepEqual([empty.lines, empty.truncated], [[], false]);
    const lines = linesOf(1, 20);
    await log.append(lines);
    const read = await logs.last(TARGET, { count: 3, matches: all });
    assert.deepEqual(
      read.lines.map(({ line }) => line),
      lines.slice(-3),
    );
    assert.equal(read.truncated, true);
    assert.equal((await logs.last(TARGET, { count: 20, matches: all })).truncated, false);
    const some = await logs.last(TARGET, { count: 2, matches: ({ text }) => text.endsWith('7') });
    assert.deepEqual(textsOf(some.lines), ['line 7', 'line 17']);
    await log.close();
  });

  it('gives the last lines from a time on, and before one', async () => {
    const { logs, log } = await opened();
    const lines = linesOf(1, 20);
    await log.append(lines);
    const span = async (since: number | null, until: number | null, count = 50) => {
      const read = await logs.last(TARGET, {
        ...{ count, matches: all },
        ...(since === null ? {} : { since: lines[since]?.at ?? '' }),
        ...(until === null ? {} : { until: lines[until]?.at ?? '' }),
      });
      return textsOf(read.lines);
    };
    assert.deepEqual(await span(17, null), ['line 18', 'line 19', 'line 20']);
    assert.deepEqual(await span(null, 2), ['line 1', 'line 2']);
    assert.deepEqual(await span(3, 6), ['line 4', 'line 5', 'line 6']);
    assert.deepEqual(await span(3, 6, 1), ['line 6']);
    assert.deepEqual(await span(6, 3), []);
    await log.close();
  });

  it('looks at about 2 KiB for each line that is asked for, and says that it did not look at all', async () => {
    const { logs, log } = await opened();
    await log.append([
      serviceLogLine('needle'),
      ...Array.from({ length: 20 }, () => serviceLogLine('x'.repeat(4_000))),
    ]);
    const read = await logs.last(TARGET, { count: 10, matches: ({ text }) => text === 'needle' });
    assert.deepEqual([read.lines, read.truncated], [[], true]);
    const few = await logs.last(TARGET, { count: 10, matches: all });
    assert.ok(few.lines.length >= 3 && few.lines.length < 6, `${few.lines.length} lines`);
    await log.close();
  });

  it('gives the last line however long it is', async () => {
    const { logs, log } = await opened();
    await log.append([serviceLogLine('before'), serviceLogLine('"'.repeat(16_000))]);
    const read = await logs.last(TARGET, { count: 1, matches: all });
    assert.deepEqual([textsOf(read.lines), read.truncated], [['"'.repeat(16_000)], true]);
    await log.append(linesOf(1, 1));
    assert.equal((await readAll(logs, read.next)).lines.length, 1);
    await log.close();
  });

  it('goes on with what comes next after a place behind the end, as a write that failed leaves one', async () => {
    const { logs, log } = await opened();
    await log.append(linesOf(1, 2));
    const { next } = await logs.after(TARGET, { file: 1, offset: 1_000_000 });
    const more = linesOf(3, 4);
    await log.append(more);
    assert.deepEqual((await readAll(logs, next)).lines, more);
    await log.close();
  });

  it('goes on after each place that it gave, without missing or repeating a line', async () => {
    const { logs, log } = await opened();
    const lines = linesOf(1, 5);
    await log.append(lines);
    const { lines: stored, next } = await logs.last(TARGET, { count: 5, matches: all });
    for (const [index, { next: place }] of stored.entries()) {
      assert.deepEqual((await readAll(logs, place)).lines, lines.slice(index + 1));
    }
    const more = linesOf(6, 8);
    await log.append(more);
    assert.deepEqual((await readAll(logs, next)).lines, more);
    await log.close();
  });

  it('a reader that keeps up meets every line of many rotations once; one that was away hears that it lost some', async () => {
    const { logs, log } = await opened(2_000);
    const seen: string[] = [];
    let place: LogPlace = { file: 0, offset: 0 };
    let early: LogPlace | null = null;
    for (let round = 0; round < 40; round += 1) {
      await log.append(linesOf(round * 5, round * 5 + 4));
      const read = await readAll(logs, place);
      assert.equal(read.lost, false);
      seen.push(...read.lines.map(({ text }) => text));
      place = read.next;
      early ??= place;
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 200 }, (_, index) => `line ${index}`),
    );
    assert.ok(early);
    const late = await readAll(logs, early);
    assert.equal(late.lost, true);
    assert.ok(late.lines.length < 50, `${late.lines.length} lines are kept of 2 files`);
    assert.equal(late.lines.at(-1)?.text, 'line 199');
    await log.close();
  });

  it('the last lines are read across a rotation', async () => {
    const { logs, log } = await opened(2_000);
    for (let at = 1; at <= 20; at += 1) await log.append(linesOf(at, at));
    const { lines } = await logs.last(TARGET, { count: 15, matches: all });
    assert.deepEqual(
      textsOf(lines),
      Array.from({ length: 15 }, (_, index) => `line ${index + 6}`),
    );
    await log.close();
  });

  it('knows the last line of each stream of each workload, after rotations and for the next writer', async () => {
    const { logs, log } = await opened(2_000);
    const quiet = serviceLogLine('once', { workload: 'quiet', stream: 'error' });
    assert.deepEqual(log.position('quiet'), {});
    await log.append([quiet]);
    for (let round = 0; round < 30; round += 1) await log.append(linesOf(1, 5));
    const [out, error] = [serviceLogLine('out'), serviceLogLine('error', { stream: 'error' })];
    await log.append([out, error]);
    await log.close();
    const next = await (await logs.takeOver()).open(TARGET);
    for (const open of [log, next]) {
      assert.deepEqual(open.position('quiet'), { error: quiet.at });
      assert.deepEqual(open.position('w1'), { out: out.at, error: error.at });
      assert.deepEqual(open.position('unknown'), {});
    }
    await next.close();
  });

  it('a writer that was overtaken adds nothing', async () => {
    const { logs, log } = await opened();
    await log.append(linesOf(1, 1));
    const next = await (await logs.takeOver()).open(TARGET);
    await assert.rejects(log.append(linesOf(2, 2)), { code: 'CONFLICT' });
    await next.append(linesOf(3, 3));
    assert.deepEqual(
      (await readAll(logs)).lines.map(({ text }) => text),
      ['line 1', 'line 3'],
    );
    await log.close();
    await next.close();
  });

  it('appends of one moment take effect in their order', async () => {
    const { logs, log } = await opened(2_000);
    const lines = linesOf(1, 30);
    await Promise.all(lines.slice(20).map((line) => log.append([line])));
    assert.deepEqual((await readAll(logs)).lines, lines.slice(20));
    await log.close();
  });

  it('each target has a log of its own; removing a service removes those of all its environments', async () => {
    const { logs, log } = await opened();
    const writer = await logs.takeOver();
    const targets = [TARGET, { ...TARGET, environment: 'uat' }, { ...TARGET, serviceId: 'svc_other' }] as const;
    for (const [index, target] of targets.entries()) {
      const open = await writer.open(target);
      await open.append(linesOf(index, index));
      await open.close();
    }
    assert.deepEqual([...(await logs.serviceIds())].sort(), ['svc_other', 'svc_shop']);
    await logs.remove('svc_shop');
    await logs.remove('svc_shop');
    const texts = targets.map(async (target) => textsOf((await logs.last(target, { count: 9, matches: all })).lines));
    assert.deepEqual(await Promise.all(texts), [[], [], ['line 2']]);
    assert.deepEqual(await logs.serviceIds(), ['svc_other']);
    await log.close();
  });

  it('a place that this log never gave is no error', async () => {
    const { logs, log } = await opened();
    await log.append(linesOf(1, 3));
    const read = await readAll(logs, { file: 7, offset: 99 });
    assert.deepEqual([read.lines.length, read.lost], [3, true]);
    await log.close();
  });
}
