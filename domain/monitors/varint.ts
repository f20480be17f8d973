/**
 * Whole numbers in bytes: seven bits a byte, the lowest first, and the eighth says that more follow (LEB128, DWARF 5, 7.6). Small
 * ones, which are most, take one byte.
 */

export interface ByteWriter {
  byte(value: number): void;
  /** @param value 0 to 2^53 - 1; a part of a whole is cut off */
  number(value: number): void;
  /** Also below zero: 0, -1, 1, -2, … are written as 0, 1, 2, 3, … */
  signed(value: number): void;
  bytes(values: Uint8Array): void;
  written(): Uint8Array;
}

export function createByteWriter(): ByteWriter {
  const bytes: number[] = [];
  const number = (value: number): void => {
    let left = Math.max(0, Math.trunc(value));
    // No shift: it takes 32 bits, and a time has more.
    for (; left >= 128; left = Math.floor(left / 128)) bytes.push((left % 128) + 128);
    bytes.push(left);
  };
  return {
    byte: (value) => void bytes.push(value & 255),
    number,
    signed: (value) => number(value < 0 ? -2 * Math.trunc(value) - 1 : 2 * Math.trunc(value)),
    bytes: (values) => {
      for (const value of values) bytes.push(value);
    },
    written: () => Uint8Array.from(bytes),
  };
}

export interface ByteReader {
  /** Whether nothing is left. */
  isOver(): boolean;
  byte(): number;
  number(): number;
  signed(): number;
  /** So many of the next bytes, which are not copied. */
  bytes(count: number): Uint8Array;
}

/** @throws RangeError by what it reads, where the bytes end too early */
export function createByteReader(bytes: Uint8Array): ByteReader {
  let offset = 0;
  const byte = (): number => {
    const value = bytes[offset];
    if (value === undefined) throw new RangeError(`The packed record ends after ${bytes.length} bytes, too early`);
    offset += 1;
    return value;
  };
  const number = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const next = byte();
      value += (next % 128) * factor;
      if (next < 128) return value;
    }
  };
  return {
    isOver: () => offset >= bytes.length,
    byte,
    number,
    signed() {
      const value = number();
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    },
    bytes(count) {
      if (offset + count > bytes.length) throw new RangeError('The packed record is cut off');
      offset += count;
      return bytes.subarray(offset - count, offset);
    },
  };
}
