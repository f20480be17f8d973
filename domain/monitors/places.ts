/** Counts what runs at once at each key; null has no key, and always room. */
export interface Places {
  hasRoom(key: string | null): boolean;
  occupy(key: string | null): void;
  release(key: string | null): void;
}

/** @param most at one key */
export function createPlaces(most: number): Places {
  const counts = new Map<string, number>();
  return {
    hasRoom: (key) => key === null || (counts.get(key) ?? 0) < most,
    occupy(key) {
      if (key !== null) counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    release(key) {
      if (key === null) return;
      const left = (counts.get(key) ?? 0) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    },
  };
}
