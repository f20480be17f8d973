import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createOutputCapture, MAX_LINE_LENGTH } from '../../../adapters/process/output-capture.ts';
import { CUT_MARK } from '../../../domain/logs/cut-line.ts';
import { createRedactor } from '../../../domain/logs/redact.ts';

/** The lines of an output that comes in these chunks. */
function linesOf(...chunks: readonly string[]): string[] {
  const lines: string[] = [];
  const capture = createOutputCapture(1_000, 'first', (line) => lines.push(line));
  for (const chunk of chunks) capture.write(Buffer.from(chunk));
  capture.end();
  return lines;
}

const LONG = 'x'.repeat(MAX_LINE_LENGTH);
const CUT = `${'x'.repeat(MAX_LINE_LENGTH - CUT_MARK.length)}${CUT_MARK}`;

describe('the output of a process', () => {
  it('cuts an overlong line, drops its rest, and continues with the next, in any chunks and with any line end', () => {
    assert.deepEqual(linesOf(`${LONG}\n`), [LONG]);
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `${LONG}${LONG}yyy${end}next\n${LONG}z`;
      assert.deepEqual(linesOf(text), [CUT, 'next', CUT], JSON.stringify(end));
      for (let at = 2 * MAX_LINE_LENGTH; at < 2 * MAX_LINE_LENGTH + 8; at += 1) {
        assert.deepEqual(
          linesOf(text.slice(0, at), text.slice(at)),
          [CUT, 'next', CUT],
          `${JSON.stringify(end)} ${at}`,
        );
      }
      assert.deepEqual(linesOf(...text.split(/(?<=[^x])/)), [CUT, 'next', CUT], JSON.stringify(end));
    }
  });

  it('passes on an overlong line before it ends', () => {
    const lines: string[] = [];
    createOutputCapture(1_000, 'first', (line) => lines.push(line)).write(Buffer.from(`${LONG}x`));
    assert.deepEqual(lines, [CUT]);
  });

  it('shows no part of a secret at whose place a line is cut', () => {
    const secret = 'hunter22 is not all';
    const redact = createRedactor({ secrets: [secret] });
    for (let before = MAX_LINE_LENGTH - 60; before < MAX_LINE_LENGTH + 5; before += 1) {
      const shown = linesOf(`${'a '.repeat(before / 2)}${secret} and ${LONG}\nnext\n`).map(redact);
      assert.deepEqual([shown.length, shown[1]], [2, 'next']);
      for (const part of ['hunt', 'er22', 'is not', 'all']) assert.ok(!shown.join('\n').includes(part), `${before}`);
    }
  });
});
