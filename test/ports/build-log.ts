import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { BuildLog } from '../../domain/deploys/ports.ts';
import type { LogLine, NewLogLine } from '../../domain/logs/log-line.ts';

export const logLine = (text: string, changes: Partial<NewLogLine> = {}): NewLogLine => ({
  time: new Date('2026-01-01T00:00:00Z'),
  step: 'image-build',
  level: 'info',
  text,
  ...changes,
});

/** What every {@link BuildLog} guarantees. */
export function buildLogSuite(log: () => BuildLog): void {
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
  });
}
