import type { Duplex } from 'node:stream';

/** Frames of HTTP/2 (RFC 9113) as no well-behaved client sends them. */

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const TYPES = { data: 0, headers: 1, reset: 3, settings: 4, goAway: 7 } as const;
const END_STREAM = 1;
const END_HEADERS = 4;

export type Field = readonly [name: string, value: string];

export interface RawFrame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** Names and values as they are, without tables and Huffman codes (RFC 7541, section 6.2.2). */
function encodeField([name, value]: Field): Buffer {
  return Buffer.concat([Buffer.from([0]), encodeText(name), encodeText(value)]);
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const [rest, length] = [bytes.length - 127, [127]];
  if (rest < 128) length.push(rest);
  else length.push((rest % 128) + 128, Math.floor(rest / 128));
  return Buffer.concat([Buffer.from(length), bytes]);
}

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** @param socket on which HTTP/2 was agreed on */
export function openRawHttp2(socket: Duplex) {
  const frames: RawFrame[] = [];
  let rest = Buffer.alloc(0);
  let closed = false;
  socket
    .on('error', () => undefined)
    .once('close', () => {
      closed = true;
    });
  socket.on('data', (part) => {
    rest = Buffer.concat([rest, part]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const end = 9 + rest.readUIntBE(0, 3);
      const [type, flags, stream] = [rest.readUInt8(3), rest.readUInt8(4), rest.readUInt32BE(5)];
      frames.push({ type, flags, stream, payload: rest.subarray(9, end) });
      rest = rest.subarray(end);
    }
  });
  socket.write(PREFACE);
  socket.write(frame(TYPES.settings, 0, 0, Buffer.alloc(0)));
  return {
    headers(stream: number, fields: readonly Field[], { end }: { readonly end: boolean }): void {
      const flags = END_HEADERS | (end ? END_STREAM : 0);
      socket.write(frame(TYPES.headers, flags, stream, Buffer.concat(fields.map(encodeField))));
    },
    /** A request and its end by a reset, which come as one. */
    headersAndReset(stream: number, fields: readonly Field[]): void {
      const request = frame(TYPES.headers, END_HEADERS, stream, Buffer.concat(fields.map(encodeField)));
      socket.write(Buffer.concat([request, frame(TYPES.reset, 0, stream, Buffer.from([0, 0, 0, 8]))]));
    },
    data(stream: number, text: string, { end }: { readonly end: boolean }): void {
      socket.write(frame(TYPES.data, end ? END_STREAM : 0, stream, Buffer.from(text)));
    },
    reset(stream: number): void {
      socket.write(frame(TYPES.reset, 0, stream, Buffer.from([0, 0, 0, 8])));
    },
    /** Answered with headers, refused with a reset, or the whole connection ended; null while none has come. */
    outcomeOf(stream: number): 'answered' | 'refused' | null {
      const own = frames.find(
        (one) => one.stream === stream && (one.type === TYPES.headers || one.type === TYPES.reset),
      );
      if (own?.type === TYPES.headers) return 'answered';
      return own !== undefined || closed || frames.some(({ type }) => type === TYPES.goAway) ? 'refused' : null;
    },
    close: () => socket.destroy(),
  };
}
