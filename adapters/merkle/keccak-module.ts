import { assertKeccak } from './assert-keccak.ts';
import { KECCAK_RESERVED_BYTES, type Keccak } from './keccak.ts';

/**
 * Keccak-f[1600] as a WebAssembly module, assembled here: JavaScript has no fast 64-bit rotation, and a day of the audit
 * ledger is millions of hashes (five to ten times faster than the best one in JavaScript). It exports two functions on
 * a memory it is given, for the only two lengths a Merkle tree of hashes knows:
 *
 * - `hash32(from, to)`: keccak256 of the 32 bytes at `from`, written to `to`
 * - `hash64(left, right, to)`: keccak256 of the 32 bytes at `left` and then those at `right`
 *
 * The first {@link KECCAK_RESERVED_BYTES} of the memory hold the round constants (FIPS 202, 3.2.5). The sponge is the
 * original Keccak of Ethereum (padding 0x01, not SHA-3's 0x06) with a rate of 136 bytes: both inputs are one block.
 */

const ROUNDS = 24;

const OP = {
  loop: [0x03, 0x40],
  end: [0x0b],
  brIf0: [0x0d, 0x00],
  i64Xor: [0x85],
  i64And: [0x83],
  i64Rotl: [0x89],
  i32Add: [0x6a],
  i32LessThan: [0x49],
} as const;

type Code = readonly number[];

const unsigned = (value: number): Code => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]);

function signed(value: bigint): Code {
  const rest = value >> 7n;
  const byte = Number(value & 0x7fn);
  const ends = (rest === 0n && (byte & 0x40) === 0) || (rest === -1n && (byte & 0x40) !== 0);
  return ends ? [byte] : [byte | 0x80, ...signed(rest)];
}

const get = (local: number): Code => [0x20, ...unsigned(local)];
const set = (local: number): Code => [0x21, ...unsigned(local)];
const i32Const = (value: number): Code => [0x41, ...signed(BigInt(value))];
const i64Const = (value: bigint): Code => [0x42, ...signed(value)];
/** Alignment is a hint; 3 means 8 bytes. */
const load = (offset: number): Code => [0x29, 3, ...unsigned(offset)];
const store = (offset: number): Code => [0x37, 3, ...unsigned(offset)];
const section = (id: number, ...items: Code[]): Code => {
  const content = [...unsigned(items.length), ...items.flat()];
  return [id, ...unsigned(content.length), ...content];
};

/** Rotation of each lane (FIPS 202, table 2), by x + 5y: found by walking the lanes as rho does. */
function rotations(): readonly number[] {
  const result = new Array<number>(25).fill(0);
  let [x, y] = [1, 0];
  for (let step = 0; step < ROUNDS; step += 1) {
    result[x + 5 * y] = (((step + 1) * (step + 2)) / 2) % 64;
    [x, y] = [y, (2 * x + 3 * y) % 5];
  }
  return result;
}

/** Writes the 24 round constants (FIPS 202, algorithm 5) to the start of the memory. */
function writeRoundConstants(memory: ArrayBuffer): void {
  const view = new DataView(memory);
  let register = 1;
  for (let round = 0; round < ROUNDS; round += 1) {
    let constant = 0n;
    for (let bit = 0; bit <= 6; bit += 1) {
      if ((register & 1) === 1) constant |= 1n << BigInt(2 ** bit - 1);
      register = (register << 1) ^ ((register >> 7) * 0x171);
    }
    view.setBigUint64(round * 8, constant, true);
  }
}

/** One of the two functions: `inputs` are its pointer parameters before the last, each to 32 bytes. */
function hashFunction(inputs: number): Code {
  const to = inputs;
  const round = to + 1;
  const lane = (index: number): number => round + 1 + index;
  const moved = (index: number): number => lane(25) + index;
  const parity = (x: number): number => moved(25) + x;
  const effect = (x: number): number => parity(5) + x;
  const words = inputs * 4;
  const absorb = Array.from({ length: words }, (_, word) => [
    ...get(word >> 2),
    ...load((word & 3) * 8),
    ...set(lane(word)),
  ]);
  // Padding: the first bit after the input and the last of the block of 17 lanes.
  const pad = [...i64Const(1n), ...set(lane(words)), ...i64Const(-(1n << 63n)), ...set(lane(16))];
  const squeeze = [0, 1, 2, 3].flatMap((word) => [...get(to), ...get(lane(word)), ...store(word * 8)]);
  const code = [
    ...absorb.flat(),
    ...pad,
    ...OP.loop,
    ...permuteOnce({ round, lane, moved, parity, effect }),
    ...[...get(round), ...i32Const(8), ...OP.i32Add, ...set(round)],
    ...[...get(round), ...i32Const(KECCAK_RESERVED_BYTES), ...OP.i32LessThan, ...OP.brIf0],
    ...OP.end,
    ...squeeze,
    ...OP.end,
  ];
  // One i32 for the round, then 25 lanes, 25 moved lanes, 5 parities and 5 effects as i64. Locals begin as zero.
  const body = [2, 1, 0x7f, 60, 0x7e, ...code];
  return [...unsigned(body.length), ...body];
}

interface Locals {
  readonly round: number;
  readonly lane: (index: number) => number;
  readonly moved: (index: number) => number;
  readonly parity: (x: number) => number;
  readonly effect: (x: number) => number;
}

/** Theta, rho with pi, chi and iota on the lanes (FIPS 202, 3.2). */
function permuteOnce({ round, lane, moved, parity, effect }: Locals): Code {
  const columns = [0, 1, 2, 3, 4];
  const lanes = Array.from({ length: 25 }, (_, index) => index);
  const shift = rotations();
  const theta = [
    ...columns.flatMap((x) => [
      ...get(lane(x)),
      ...[1, 2, 3, 4].flatMap((y) => [...get(lane(x + 5 * y)), ...OP.i64Xor]),
      ...set(parity(x)),
    ]),
    ...columns.flatMap((x) => [
      ...get(parity((x + 4) % 5)),
      ...[...get(parity((x + 1) % 5)), ...i64Const(1n), ...OP.i64Rotl, ...OP.i64Xor],
      ...set(effect(x)),
    ]),
  ];
  const rhoAndPi = lanes.flatMap((index) => {
    const [x, y] = [index % 5, Math.floor(index / 5)];
    const target = y + 5 * ((2 * x + 3 * y) % 5);
    const rotated = [...get(lane(index)), ...get(effect(x)), ...OP.i64Xor];
    return [...rotated, ...i64Const(BigInt(shift[index] ?? 0)), ...OP.i64Rotl, ...set(moved(target))];
  });
  const chi = lanes.flatMap((index) => {
    const row = index - (index % 5);
    const next = moved(row + ((index + 1) % 5));
    const afterNext = moved(row + ((index + 2) % 5));
    const masked = [...get(next), ...i64Const(-1n), ...OP.i64Xor, ...get(afterNext), ...OP.i64And];
    return [...get(moved(index)), ...masked, ...OP.i64Xor, ...set(lane(index))];
  });
  const iota = [...get(lane(0)), ...get(round), ...load(0), ...OP.i64Xor, ...set(lane(0))];
  return [...theta, ...rhoAndPi, ...chi, ...iota];
}

/** The module's bytes; it imports `env.memory` and exports `hash32` and `hash64`. */
function assembleModule(): Uint8Array<ArrayBuffer> {
  const text = (value: string): Code => [value.length, ...Buffer.from(value, 'ascii')];
  const i32 = 0x7f;
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [0x60, 2, i32, i32, 0], [0x60, 3, i32, i32, i32, 0]),
    ...section(2, [...text('env'), ...text('memory'), 0x02, 0x00, 1]),
    ...section(3, [0], [1]),
    ...section(7, [...text('hash32'), 0, 0], [...text('hash64'), 0, 1]),
    ...section(10, hashFunction(1), hashFunction(2)),
  ]);
}

/** The compiler's libraries know WebAssembly only together with a browser's DOM; this is what is used of it. */
declare const WebAssembly: {
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

const PAGE_BYTES = 65_536;

/**
 * The two functions on a memory of their own with room for at least that many bytes besides what they need. They have
 * hashed what the library has before anybody gets them. @throws INTERNAL when they hash otherwise on this machine
 */
export function createKeccak(roomBytes: number): Keccak {
  const initial = Math.ceil((KECCAK_RESERVED_BYTES + roomBytes) / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial });
  writeRoundConstants(memory.buffer);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(assembleModule()), { env: { memory } });
  const keccak = { bytes: new Uint8Array(memory.buffer), ...(instance.exports as Omit<Keccak, 'bytes'>) };
  assertKeccak(keccak);
  return keccak;
}
