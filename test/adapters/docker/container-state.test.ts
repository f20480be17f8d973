import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { safeUser } from '../../../adapters/docker/container-options.ts';
import { diskFull, engineError } from '../../../adapters/docker/docker-client.ts';
import { decodeLogFrames, lastLogLines } from '../../../adapters/docker/log-frames.ts';

const frame = (stream: number, text: string): Buffer => {
  const body = Buffer.from(text);
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(body.length, 4);
  return Buffer.concat([header, body]);
};

describe('decodeLogFrames', () => {
  it('joins both streams in order, characters split between frames included', () => {
    const umlaut = Buffer.from('ü');
    const split = [frame(1, 'a\n'), frame(2, 'b\n'), frame(1, 'x')];
    assert.equal(decodeLogFrames(Buffer.concat(split)), 'a\nb\nx');
    const halves = [umlaut.subarray(0, 1), umlaut.subarray(1)].map((half) => {
      const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, half.length]);
      return Buffer.concat([header, half]);
    });
    assert.equal(decodeLogFrames(Buffer.concat(halves)), 'ü');
  });

  it('reads a frame that was cut off, and nothing from nothing', () => {
    assert.equal(decodeLogFrames(frame(1, 'whole').subarray(0, 10)), 'wh');
    assert.equal(decodeLogFrames(Buffer.alloc(0)), '');
    assert.equal(decodeLogFrames(Buffer.alloc(5)), '');
  });
});

describe('lastLogLines', () => {
  it('puts together a line that the engine cut, also with the other stream in between', () => {
    const frames = Buffer.concat([frame(1, 'secr'), frame(2, 'other\n'), frame(1, 'et\n'), frame(1, 'open')]);
    assert.deepEqual(lastLogLines(frames, 10), ['other', 'secret', 'open']);
  });

  it('leaves out a line whose beginning is not there, and no other', () => {
    const frames = Buffer.concat([frame(1, 'ret'), frame(2, 'other\n'), frame(1, ' end\n'), frame(1, 'next\n')]);
    assert.deepEqual(lastLogLines(frames, 3), ['other', 'next']);
    assert.deepEqual(lastLogLines(frames, 4), ['other', 'ret end', 'next']);
    assert.deepEqual(lastLogLines(Buffer.concat([frame(1, 'a\n'), frame(1, 'b\n')]), 1), ['b']);
    assert.deepEqual(lastLogLines(Buffer.alloc(0), 1), []);
  });
});

describe('safeUser', () => {
  it('keeps numbers other than 0 and replaces names, root and nothing', () => {
    assert.deepEqual(['1001', '101', '1001:0', '70000:70000'].map(safeUser), ['1001', '101', '1001:0', '70000:70000']);
    const unsafe = ['', '0', '00', '0:1001', 'root', 'node', '1001:wheel', 'node:1001'];
    assert.deepEqual(new Set(unsafe.map(safeUser)), new Set(['1001:1001']));
  });
});

describe('engineError', () => {
  const codes: readonly [string, unknown, string, boolean][] = [
    ['the engine is down', Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 'UNAVAILABLE', true],
    ['there is no socket', Object.assign(new Error('connect'), { code: 'ENOENT' }), 'UNAVAILABLE', true],
    ['the socket is not ours', Object.assign(new Error('connect'), { code: 'EACCES' }), 'UNAVAILABLE', false],
    [
      'the disk is full',
      Object.assign(new Error('write: no space left on device'), { statusCode: 500 }),
      'DISK_FULL',
      false,
    ],
    ['anything else', Object.assign(new Error('odd'), { statusCode: 500 }), 'INSTALL_FAILED', false],
    ['an error of ours', diskFull('Building'), 'DISK_FULL', false],
  ];
  for (const [name, error, code, retryable] of codes) {
    it(`${name}: ${code}`, () => {
      const mapped = engineError(error, 'Installing', 'INSTALL_FAILED');
      assert.deepEqual([mapped.code, mapped.retryable], [code, retryable]);
    });
  }
});
