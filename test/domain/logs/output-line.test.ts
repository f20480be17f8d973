import assert from 'node:assert/strict';
import { it } from 'node:test';
import { linesAfter, type OutputLine, type OutputStream } from '../../../domain/logs/output-line.ts';

const line = (second: number, stream: OutputStream = 'out'): OutputLine => ({
  ...{ at: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000000Z`, stream },
  text: `${second}`,
});
const told = (lines: readonly OutputLine[]) =>
  lines.map(({ text, afterGap }) => (afterGap === true ? `gap ${text}` : text));
const at = (second: number) => line(second).at;

it('of the lines that come again, those after the position are taken, each stream by its own', () => {
  const newOf = linesAfter({ out: at(5), error: at(3) });
  assert.deepEqual(told(newOf([line(3, 'error'), line(4), line(4, 'error'), line(5)])), ['4']);
  assert.deepEqual(told(newOf([line(5, 'error'), line(6), line(7)])), ['5', '6', '7']);
  assert.deepEqual(told(linesAfter({})([line(1), line(2)])), ['1', '2']);
});

it('the first line after what is not kept any more is marked, and no other', () => {
  const newOf = linesAfter({ out: at(5), error: at(3) });
  assert.deepEqual(told(newOf([line(7, 'error')])), ['gap 7']);
  assert.deepEqual(told(newOf([line(8), line(9)])), ['8', '9']);
  assert.deepEqual(told(linesAfter({ out: at(5) })([line(4), line(6)])), ['gap 6']);
  // Two lines of one moment.
  assert.deepEqual(told(linesAfter({ out: at(5) })([line(5, 'error'), line(6)])), ['5', '6']);
});
