/** Bytes at the start of its memory that {@link Keccak} needs itself: the round constants. */
export const KECCAK_RESERVED_BYTES = 192;

/** keccak256 of the two lengths that a Merkle tree of hashes knows. */
export interface Keccak {
  /** The memory the functions work on; its first {@link KECCAK_RESERVED_BYTES} are theirs. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  hash32(from: number, to: number): void;
  hash64(left: number, right: number, to: number): void;
}
