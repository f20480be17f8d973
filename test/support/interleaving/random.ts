export interface Random {
  /** A whole number from 0, below the limit. */
  below(limit: number): number;
  /** True in that share of cases. */
  chance(share: number): boolean;
}

/** Numbers that follow from the seed alone (mulberry32), so that a run can be repeated. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (limit) => Math.floor(next() * limit),
    chance: (share) => next() < share,
  };
}
