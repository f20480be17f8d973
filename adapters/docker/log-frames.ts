const HEADER_BYTES = 8;
const LINE_END = 0x0a;

interface Frame {
  readonly stream: number;
  readonly bytes: Buffer;
}

/**
 * The text of the engine's multiplexed log stream: frames of stdout and stderr, each behind a header of stream number
 * and length, in the order they were written. A cut-off last frame is read as far as it goes.
 */
export function decodeLogFrames(frames: Buffer): string {
  return Buffer.concat(readFrames(frames).map(({ bytes }) => bytes)).toString('utf8');
}

/**
 * The last lines of a log of which one frame more than `wanted` was asked for. The engine cuts a line of more than 16 KiB
 * into frames, between which those of the other stream may stand: lines are put together by stream, and one whose
 * beginning is not among the frames is left out, as a secret in it could not be told.
 */
export function lastLogLines(frames: Buffer, wanted: number): readonly string[] {
  const all = readFrames(frames);
  let withoutBeginning = all.length > wanted ? all[0]?.stream : undefined;
  /** Of each stream, the line under way. */
  const open = new Map<number, Buffer[]>();
  const lines: string[] = [];
  const end = (stream: number, line: readonly Buffer[]): void => {
    if (stream === withoutBeginning) withoutBeginning = undefined;
    else lines.push(...Buffer.concat(line).toString('utf8').replace(/\n$/, '').split('\n'));
  };
  for (const { stream, bytes } of all) {
    const line = open.get(stream) ?? [];
    line.push(bytes);
    open.set(stream, line);
    if (bytes.at(-1) !== LINE_END) continue;
    open.delete(stream);
    end(stream, line);
  }
  for (const [stream, line] of open) end(stream, line);
  return lines.slice(-wanted);
}

function readFrames(frames: Buffer): Frame[] {
  const read: Frame[] = [];
  let offset = 0;
  while (offset + HEADER_BYTES <= frames.length) {
    const length = frames.readUInt32BE(offset + 4);
    const start = offset + HEADER_BYTES;
    read.push({ stream: frames.readUInt8(offset), bytes: frames.subarray(start, start + length) });
    offset = start + length;
  }
  return read;
}
