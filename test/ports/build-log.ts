import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BuildLog } from '../../domain/deploys/build-store.ts';
import type { LogLimits } from '../../domain/logs/log-limits.ts';
import type { LogLine, NewLogLine } from '../../domain/logs/log-line.ts';

export const logLine = (text: string, changes: Partial<NewLogLine> = {}): NewLogLine => ({
  time: new Date('2026-01-01T00:00:00Z'),
  step: 'image-build',
  level: 'info',
  text,
  ...changes,
});

const SMALL: LogLimits = { lines: 50, bytes: 1_000, lineBytes: 200, reserve: 3 };

/**
 * What every {@link BuildLog} guarantees.
 *
 * @param log the log, with its usual limits or with these
 */
export function buildLogSuite(log: (limits?: LogLimits) => BuildLog): void {
  const all = (id: string): Promise<readonly LogLine[]> => log().read(id, 0, 100_000);

  describe('BuildLog', () => {
    it('writers at once never share a number and leave no gap', async () => {
      const writers = Array.from({ length: 20 }, (_, writer) =>
        log().append(
          'bld_writers',
          Array.from({ length: 5 }, (_, line) => logLine(`${writer}.${line}`)),
        ),
      );
      await Promise.all(writers);
      const lines = await all('bld_writers');
      assert.deepEqual(
        lines.map((line) => line.seq),
        Array.from({ length: 100 }, (_, index) => index + 1),
      );
      for (let index = 0; index < 100; index += 5) {
        const [writer] = (lines[index]?.text ?? '').split('.');
        assert.equal(lines[index + 4]?.text, `${writer}.4`, 'lines of one call stay together');
      }
    });

    it('reads on after the last line seen', async () => {
      await log().append('bld_pages', [logLine('a'), logLine('b', { step: null, level: 'warn' }), logLine('c')]);
      const [first] = await log().read('bld_pages', 0, 1);
      assert.equal(first?.text, 'a');
      const rest = await log().read('bld_pages', 1, 10);
      assert.deepEqual(rest[0], { ...logLine('b', { step: null, level: 'warn' }), seq: 2 });
      assert.equal(rest[1]?.text, 'c');
      assert.deepEqual(await log().read('bld_pages', 3, 10), []);
      assert.deepEqual([await log().hasMore('bld_pages', 2), await log().hasMore('bld_pages', 3)], [true, false]);
    });

    it('reads the last lines, and the last before one', async () => {
      await log().append(
        'bld_last',
        ['a', 'b', 'c', 'd', 'e'].map((text) => logLine(text)),
      );
      const texts = async (before: number, limit: number) =>
        (await log().readBefore('bld_last', before, limit)).map(({ text }) => text).join('');
      assert.equal(await texts(Number.MAX_SAFE_INTEGER, 2), 'de');
      assert.equal(await texts(4, 2), 'bc');
      assert.equal(await texts(3, 10), 'ab');
      assert.equal(await texts(1, 10), '');
      assert.deepEqual(await log().readBefore('bld_none', 10, 10), []);
    });

    it('a build that wrote nothing has an empty log', async () => {
      await log().append('bld_silent', []);
      assert.deepEqual(await all('bld_silent'), []);
      assert.equal(await log().hasMore('bld_silent', 0), false);
    });

    it('writes once what comes again under its key, even at once', async () => {
      const twice = () => log().append('bld_once', [logLine('attached')], 'attached/1');
      await Promise.all([twice(), twice(), twice()]);
      await twice();
      await log().append('bld_once', [logLine('attached')], 'attached/2');
      const lines = await all('bld_once');
      assert.deepEqual(
        lines.map(({ seq }) => seq),
        [1, 2],
      );
    });

    it('cuts an overlong line and says so', async () => {
      await log().append('bld_long', [logLine('é'.repeat(20_000))]);
      const [line] = await all('bld_long');
      assert.match(line?.text ?? '', /^é+ … \(cut: the line had 40000 bytes\)$/);
      assert.ok(Buffer.byteLength(line?.text ?? '') < 17_000);
    });

    it('two writers that run into the cap make one line that says so, and nothing but errors after it', async () => {
      const small = log(SMALL);
      const writer = async (name: string) => {
        const lines = Array.from({ length: 7 }, () => logLine(name));
        for (let index = 0; index < 10; index += 1) await small.append('bld_cap', lines);
      };
      await Promise.all([writer('a'), writer('b')]);
      await small.append('bld_cap', [logLine('lost'), logLine('why it failed', { level: 'error' })]);
      await small.append('bld_cap', [logLine('Build failed', { step: null })]);
      const texts = (await small.read('bld_cap', 0, 1_000)).map((line) => line.text);
      assert.equal(texts.filter((text) => text.startsWith('The log is full')).length, 1);
      assert.match(texts[50] ?? '', /^The log is full \(50 lines/);
      assert.deepEqual(texts.slice(51), ['why it failed', 'Build failed']);
    });

    it('a log that is full by bytes says so as well, and errors past the cap are bounded', async () => {
      const small = log(SMALL);
      const twenty = (line: NewLogLine) => Array.from({ length: 20 }, () => line);
      await small.append('bld_bytes', twenty(logLine('x'.repeat(100))));
      await small.append('bld_bytes', twenty(logLine('e', { level: 'error' })));
      assert.equal((await small.read('bld_bytes', 0, 1_000)).length, 10 + 1 + SMALL.reserve);
    });
  });
}
