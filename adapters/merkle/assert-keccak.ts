import { keccak_256 } from '@noble/hashes/sha3.js';
import { FairleadError } from '../../domain/errors.ts';
import { KECCAK_RESERVED_BYTES, type Keccak } from './keccak.ts';

const NODE = 32;
const ROUNDS = 16;
const INPUT = KECCAK_RESERVED_BYTES;
const OUTPUT = INPUT + 2 * NODE;

/**
 * Holds both functions against the library: each round hashes what the round before gave, from all zeros and all ones on,
 * so that every lane takes many values. The memory that it uses is zero again afterwards.
 * @throws INTERNAL for another hash
 */
export function assertKeccak({ bytes, hash32, hash64 }: Keccak): void {
  let input = new Uint8Array(2 * NODE).fill(255, NODE);
  for (let round = 0; round < ROUNDS; round += 1) {
    bytes.set(input, INPUT);
    hash32(INPUT, OUTPUT);
    hash64(INPUT, INPUT + NODE, OUTPUT + NODE);
    const expected = [keccak_256(input.subarray(0, NODE)), keccak_256(input)];
    input = bytes.slice(OUTPUT, OUTPUT + 2 * NODE);
    if (Buffer.compare(Buffer.concat(expected), input) !== 0) {
      throw new FairleadError('INTERNAL', 'the keccak256 of this process is not that of the library: no tree is built');
    }
  }
  bytes.fill(0, INPUT, OUTPUT + 2 * NODE);
}
