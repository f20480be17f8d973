import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { crc32, deflateRaw, inflateRaw } from 'node:zlib';

/**
 * Files in the gzip format (RFC 1952) that can be read from anywhere: the text is compressed in blocks, each a gzip member
 * of its own, and a last member without text has the table of the blocks in its extra field. `gunzip` and `zcat` give the
 * whole text.
 */

const deflate = promisify(deflateRaw);
const inflate = promisify(inflateRaw);

const BLOCK_BYTES = 256 * 1024;
/** The extra field has 65,535 bytes; a row of the table has eight. */
const MOST_BLOCKS = 8_000;

const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
/** Magic, deflate, no flags, no time, no extra flags, unknown system. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const HAS_EXTRA = 4;
/** Flags stand at byte 3. */
const TABLE_HEADER = Buffer.from(HEADER.map((byte, at) => (at === 3 ? HAS_EXTRA : byte)));
/** Deflate's form of nothing, then its checksum and length. */
const EMPTY_TEXT = Buffer.concat([Buffer.from([3, 0]), Buffer.alloc(TRAILER_BYTES)]);
/** Identifies our subfield of the extra field. */
const SUBFIELD = Buffer.from('FL');
const SUBFIELD_HEADER_BYTES = 4;
const ROW_BYTES = 8;

/**
 * Compresses a file into another one, block by block, and waits until the disk has it.
 * @throws errors of the file system, such as ENOSPC; what was written of `to` is then left to the caller
 */
export async function compressFile(from: string, to: string): Promise<void> {
  await using source = await open(from, 'r');
  await using target = await open(to, 'w', 0o600);
  const { size } = await source.stat();
  const blockBytes = Math.max(BLOCK_BYTES, Math.ceil(size / MOST_BLOCKS));
  const rows: Buffer[] = [];
  for (let at = 0; at < size; ) {
    const { buffer, bytesRead } = await source.read(Buffer.alloc(blockBytes), 0, blockBytes, at);
    if (bytesRead === 0) break;
    const text = buffer.subarray(0, bytesRead);
    const member = Buffer.concat([HEADER, await deflate(text), uint32(crc32(text)), uint32(text.length)]);
    await target.appendFile(member);
    rows.push(Buffer.concat([uint32(member.length), uint32(text.length)]));
    at += bytesRead;
  }
  await target.appendFile(tableMember(rows));
  await target.sync();
}

/** Its last four bytes before the empty text are its own length, by which a reader finds its beginning. */
function tableMember(rows: readonly Buffer[]): Buffer {
  const dataBytes = rows.length * ROW_BYTES + 4;
  const extraBytes = SUBFIELD_HEADER_BYTES + dataBytes;
  const length = HEADER_BYTES + 2 + extraBytes + EMPTY_TEXT.length;
  return Buffer.concat([
    TABLE_HEADER,
    uint16(extraBytes),
    SUBFIELD,
    uint16(dataBytes),
    ...rows,
    uint32(length),
    EMPTY_TEXT,
  ]);
}

interface Block {
  /** Where its member begins in the file. */
  readonly at: number;
  readonly length: number;
  /** Where its text begins in the whole text. */
  readonly textAt: number;
  readonly textLength: number;
}

/** A compressed file of ours. */
export interface CompressedText {
  readonly bytes: number;
  /** Bytes of the text; fewer at its end. A block that was damaged reads as empty lines. */
  read(from: number, length: number): Promise<Buffer>;
}

/** Reads the table of a file; null for one that has none, such as one that somebody else wrote. */
export async function openCompressed(handle: FileHandle): Promise<CompressedText | null> {
  const blocks = await readTable(handle);
  if (blocks === null) return null;
  const last = blocks.at(-1);
  return {
    bytes: last === undefined ? 0 : last.textAt + last.textLength,
    async read(from, length) {
      const end = from + length;
      const wanted = blocks.filter(({ textAt, textLength }) => textAt < end && textAt + textLength > from);
      const pieces: Buffer[] = [];
      for (const block of wanted) {
        const text = await readBlock(handle, block);
        pieces.push(text.subarray(Math.max(0, from - block.textAt), Math.max(0, end - block.textAt)));
      }
      return Buffer.concat(pieces);
    },
  };
}

async function readTable(handle: FileHandle): Promise<readonly Block[] | null> {
  const { size } = await handle.stat();
  const ending = await readBytes(handle, size - EMPTY_TEXT.length - 4, EMPTY_TEXT.length + 4);
  if (ending === null || !ending.subarray(4).equals(EMPTY_TEXT)) return null;
  const length = ending.readUInt32LE(0);
  const member = await readBytes(handle, size - length, length);
  if (member === null || !member.subarray(0, HEADER_BYTES).equals(TABLE_HEADER)) return null;
  const rows = member.subarray(HEADER_BYTES + 2 + SUBFIELD_HEADER_BYTES, -EMPTY_TEXT.length - 4);
  const blocks: Block[] = [];
  let [at, textAt] = [0, 0];
  for (let row = 0; row + ROW_BYTES <= rows.length; row += ROW_BYTES) {
    const block = { at, length: rows.readUInt32LE(row), textAt, textLength: rows.readUInt32LE(row + 4) };
    blocks.push(block);
    at += block.length;
    textAt += block.textLength;
  }
  return at === size - length ? blocks : null;
}

const LINE_END = 0x0a;

async function readBlock(handle: FileHandle, { at, length, textLength }: Block): Promise<Buffer> {
  const member = await readBytes(handle, at, length);
  try {
    if (member === null) throw new RangeError('the block ends early');
    const text = await inflate(member.subarray(HEADER_BYTES, -TRAILER_BYTES), { maxOutputLength: textLength });
    if (text.length === textLength && crc32(text) === member.readUInt32LE(length - TRAILER_BYTES)) return text;
  } catch {
    // A damaged disk takes a part of an old log; the rest of it can still be read.
  }
  return Buffer.alloc(textLength, LINE_END);
}

async function readBytes(handle: FileHandle, from: number, length: number): Promise<Buffer | null> {
  if (from < 0 || length < 0) return null;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
  return bytesRead === length ? buffer : null;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
