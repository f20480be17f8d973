const HEADER_BYTES = 8;

/**
 * The text of the engine's multiplexed log stream: frames of stdout and stderr, each behind a header of stream number
 * and length, in the order they were written. A cut-off last frame is read as far as it goes.
 */
export function decodeLogFrames(frames: Buffer): string {
  const parts: Buffer[] = [];
  let offset = 0;
  while (offset + HEADER_BYTES <= frames.length) {
    const length = frames.readUInt32BE(offset + 4);
    const start = offset + HEADER_BYTES;
    parts.push(frames.subarray(start, start + length));
    offset = start + length;
  }
  return Buffer.concat(parts).toString('utf8');
}
