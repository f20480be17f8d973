/** Runs so many reads at once and no more; the others wait in the order in which they came. */
export type ReadSlots = <T>(read: () => Promise<T>, signal: AbortSignal) => Promise<T>;

/** @returns runs a read once there is room. It throws what the read throws; the signal's reason to who gave up waiting. */
export function createReadSlots(atOnce: number): ReadSlots {
  let free = atOnce;
  const waiting = new Set<() => void>();
  const enter = (signal: AbortSignal): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const begin = (): void => {
      waiting.delete(begin);
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = (): void => {
      waiting.delete(begin);
      reject(signal.reason);
    };
    waiting.add(begin);
    signal.addEventListener('abort', giveUp, { once: true });
    return promise;
  };
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else next();
  };
  return async (read, signal) => {
    signal.throwIfAborted();
    await enter(signal);
    try {
      return await read();
    } finally {
      leave();
    }
  };
}
