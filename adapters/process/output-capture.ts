import { StringDecoder } from 'node:string_decoder';
import { cutBeforeRedaction } from '../../domain/logs/cut-line.ts';

/**
 * Longer lines are cut, so that output without line ends stays bounded. Their rest is left out: nobody could tell the end
 * of a secret there that began before the cut.
 */
export const MAX_LINE_LENGTH = 16 * 1024;

export interface OutputCapture {
  write(chunk: Buffer): void;
  /** Ends the last line and returns what was kept. */
  end(): string;
}

/**
 * Takes the output of a process: passes it on line by line (ends are LF, CR LF and the lone CR of progress bars) and
 * keeps at most `maxBytes` of it: the first ones, or the last ones.
 */
export function createOutputCapture(
  maxBytes: number,
  keep: 'first' | 'last',
  onLine: ((line: string) => void) | undefined,
): OutputCapture {
  const kept = keep === 'first' ? keepFirst(maxBytes) : keepLast(maxBytes);
  const lines = onLine === undefined ? null : splitLines(onLine);
  return {
    write(chunk) {
      kept.add(chunk);
      lines?.add(chunk);
    },
    end() {
      lines?.end();
      return kept.text();
    },
  };
}

interface Kept {
  add(chunk: Buffer): void;
  text(): string;
}

function keepFirst(maxBytes: number): Kept {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add(chunk) {
      if (size >= maxBytes) return;
      const piece = chunk.subarray(0, maxBytes - size);
      chunks.push(piece);
      size += piece.length;
    },
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}

function keepLast(maxBytes: number): Kept {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add(chunk) {
      chunks.push(chunk);
      size += chunk.length;
      while (chunks[0] !== undefined && size - chunks[0].length >= maxBytes) {
        size -= chunks[0].length;
        chunks.shift();
      }
    },
    text: () => Buffer.concat(chunks).subarray(-maxBytes).toString('utf8'),
  };
}

function splitLines(onLine: (line: string) => void): { add(chunk: Buffer): void; end(): void } {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  /** The line under way was cut, and passed on. */
  let isCut = false;
  const emit = (line: string): void => {
    if (!isCut) onLine(cutBeforeRedaction(line, MAX_LINE_LENGTH));
    isCut = false;
  };
  const take = (text: string): void => {
    const parts = text.split(/\r\n|\n|\r(?!$)/);
    rest = parts.pop() ?? '';
    for (const line of parts) emit(line);
    if (rest.length <= MAX_LINE_LENGTH) return;
    emit(rest);
    isCut = true;
  };
  return {
    add(chunk) {
      // A carriage return may be the first half of a line end.
      if (isCut) rest = rest.endsWith('\r') ? '\r' : '';
      take(rest + decoder.write(chunk));
    },
    end() {
      const last = (rest + decoder.end()).replace(/\r$/, '');
      rest = '';
      if (last !== '') emit(last);
    },
  };
}
