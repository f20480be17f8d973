/** Values as Bolt writes them (PackStream, version 1), as far as the stand-in of Neo4j needs them. */

export interface Structure {
  readonly tag: number;
  readonly fields: readonly unknown[];
}

export function pack(value: unknown): Buffer {
  if (value === null || value === undefined) return Buffer.from([0xc0]);
  if (typeof value === 'boolean') return Buffer.from([value ? 0xc3 : 0xc2]);
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9, 0xcb);
    bytes.writeBigInt64BE(BigInt(value), 1);
    return bytes;
  }
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    const head = Buffer.alloc(5, 0xd2);
    head.writeUInt32BE(bytes.length, 1);
    return Buffer.concat([head, bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([sized(0xd6, value.length), ...value.map(pack)]);
  const entries = Object.entries(value as object);
  return Buffer.concat([sized(0xda, entries.length), ...entries.flat().map(pack)]);
}

export function packStructure({ tag, fields }: Structure): Buffer {
  return Buffer.concat([Buffer.from([0xb0 + fields.length, tag]), ...fields.map(pack)]);
}

/** Lists and maps have a 32-bit length here. */
function sized(marker: number, length: number): Buffer {
  const head = Buffer.alloc(5, marker);
  head.writeUInt32BE(length, 1);
  return head;
}

/** @throws Error for a value that is no part of this */
export function unpackStructure(bytes: Buffer): Structure {
  let at = 0;
  const take = (count: number): number => {
    at += count;
    return at - count;
  };
  const length = (marker: number, tiny: number, sizes: readonly number[]): number | null => {
    if (marker >> 4 === tiny >> 4) return marker & 0x0f;
    const width = sizes.indexOf(marker);
    if (width === -1) return null;
    return bytes.readUIntBE(take([1, 2, 4][width] ?? 0), [1, 2, 4][width] ?? 0);
  };
  const scalars: Readonly<Record<number, () => unknown>> = {
    192: () => null,
    193: () => bytes.readDoubleBE(take(8)),
    194: () => false,
    195: () => true,
    200: () => bytes.readInt8(take(1)),
    201: () => bytes.readInt16BE(take(2)),
    202: () => bytes.readInt32BE(take(4)),
    203: () => Number(bytes.readBigInt64BE(take(8))),
  };
  const read = (): unknown => {
    const marker = bytes.readUInt8(take(1));
    if (marker < 0x80) return marker;
    if (marker >= 0xf0) return marker - 0x100;
    const scalar = scalars[marker];
    if (scalar !== undefined) return scalar();
    const text = length(marker, 0x80, [0xd0, 0xd1, 0xd2]);
    if (text !== null) return bytes.toString('utf8', take(text), at);
    const list = length(marker, 0x90, [0xd4, 0xd5, 0xd6]);
    if (list !== null) return Array.from({ length: list }, read);
    const map = length(marker, 0xa0, [0xd8, 0xd9, 0xda]);
    if (map !== null) return Object.fromEntries(Array.from({ length: map }, () => [read(), read()]));
    throw new Error(`no value begins with ${marker.toString(16)}`);
  };
  const fields = bytes.readUInt8(take(1)) & 0x0f;
  const tag = bytes.readUInt8(take(1));
  return { tag, fields: Array.from({ length: fields }, read) };
}
