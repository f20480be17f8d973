/** A mutex for each key: calls of one key run one after the other, in the order in which they were made. Nothing is kept of an idle key. */
export function createMutex(): <T>(key: string, call: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (key, call) => {
    const before = last.get(key) ?? Promise.resolve();
    const mine = before.then(call, call);
    last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (last.get(key) === mine) last.delete(key);
    }
  };
}
