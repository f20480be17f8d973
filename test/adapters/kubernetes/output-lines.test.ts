import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLineReader } from '../../../adapters/kubernetes/output-lines.ts';
import { CUT_MARK } from '../../../domain/logs/cut-line.ts';

/** Reads a text in pieces of a size. */
function read(text: string, pieceBytes: number) {
  const bytes = Buffer.from(text);
  const reader = createLineReader();
  const lines = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) lines.push(...reader.read(bytes.subarray(at, at + pieceBytes)));
  return [...lines, ...reader.rest()];
}

describe('output of a container with times', () => {
  const text = '2026-01-01T00:00:00.5Z one\n2026-01-01T00:00:00.500000001Z two words\n2026-01-01T00:00:01Z \n';

  for (const pieceBytes of [1, 7, 1_000]) {
    it(`is the same lines in pieces of ${pieceBytes} bytes`, () => {
      assert.deepEqual(read(text, pieceBytes), [
        { at: '2026-01-01T00:00:00.500000000Z', stream: 'out', text: 'one' },
        { at: '2026-01-01T00:00:00.500000001Z', stream: 'out', text: 'two words' },
        { at: '2026-01-01T00:00:01.000000000Z', stream: 'out', text: '' },
      ]);
    });
  }

  it('a line without an end counts once no more comes', () => {
    assert.deepEqual(
      read('2026-01-01T00:00:00Z whole\n2026-01-01T00:00:01Z half', 5).map((line) => line.text),
      ['whole', 'half'],
    );
  });

  it('a line of 5 MB is cut with a mark, and the line behind it is whole', () => {
    const long = `2026-01-01T00:00:00.123456789Z ${'x'.repeat(5_000_000)}\n2026-01-01T00:00:01Z next\n`;
    const [cut, next] = read(long, 64 * 1024).map((line) => line.text);
    assert.equal(cut, 'x'.repeat(16_384) + CUT_MARK);
    assert.equal(next, 'next');
  });
});
