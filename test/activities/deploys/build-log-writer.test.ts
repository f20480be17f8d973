import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuildLogWriter } from '../../../activities/deploys/build-log-writer.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { NewLogLine } from '../../../domain/logs/log-line.ts';

/** A log whose first calls fail with `errors`, and what it holds. */
function logThatFails(...errors: readonly Error[]) {
  const left = [...errors];
  const texts: string[] = [];
  const append = async (_: string, lines: readonly NewLogLine[]) => {
    const error = left.shift();
    if (error !== undefined) throw error;
    texts.push(...lines.map(({ text }) => text));
  };
  return { texts, log: { append } };
}

const writerOn = (log: ReturnType<typeof logThatFails>['log']) =>
  createBuildLogWriter({
    log,
    buildId: 'bld_1',
    step: 'image-build',
    redact: (line) => line.replaceAll('hunter2', '[redacted]'),
    now: () => new Date(0),
  });

const away = () => new FairleadError('UNAVAILABLE', 'The database cannot be reached', { retryable: true });

test('lines are kept, in order and redacted, while the store is away', async () => {
  const { texts, log } = logThatFails(away(), away());
  const writer = writerOn(log);
  for (let line = 1; line <= 250; line += 1) writer.write(`line ${line}`);
  writer.write('password hunter2\nlast');
  await writer.close();
  assert.equal(texts.length, 252);
  assert.deepEqual(texts.slice(0, 2), ['line 1', 'line 2']);
  assert.deepEqual(texts.slice(-3), ['line 250', 'password [redacted]', 'last']);
});

test('an error of the store that will not pass is told at the end', async () => {
  const { log } = logThatFails(new Error('no space left'));
  const writer = writerOn(log);
  writer.write('a line');
  await assert.rejects(writer.close(), /no space left/);
});

test('a step writes at most 4 MiB; what it drops is counted, and its errors are kept', async () => {
  const { texts, log } = logThatFails();
  const writer = writerOn(log);
  const line = 'x'.repeat(16 * 1024);
  for (let count = 0; count < 300; count += 1) writer.write(line);
  writer.write('why it failed', 'error');
  await writer.close();
  assert.equal(texts.filter((text) => text === line).length, 256);
  assert.deepEqual(texts.slice(-2), ['why it failed', '44 lines were dropped: a step may write 4 MiB']);
});
