/** Places for what stays open in this process: so many of each key, such as an address, and so many of all together. */
export interface Places {
  /** False when the key has its share, or all are taken. */
  take(key: string): boolean;
  release(key: string): void;
}

export function createPlaces({
  perKey,
  inAll = Number.POSITIVE_INFINITY,
}: {
  readonly perKey: number;
  readonly inAll?: number;
}): Places {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    take(key) {
      const own = taken.get(key) ?? 0;
      if (own >= perKey || all >= inAll) return false;
      taken.set(key, own + 1);
      all += 1;
      return true;
    },
    release(key) {
      all -= 1;
      const own = taken.get(key) ?? 0;
      if (own <= 1) taken.delete(key);
      else taken.set(key, own - 1);
    },
  };
}
