/** Lets so many calls run at once. Others wait in the order in which they came; one whose signal aborts meanwhile never begins. */
export function limitAtOnce(most: number): <T>(call: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  let free = most;
  const waiting: (() => void)[] = [];
  const turn = (signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      waiting.push(begin);
    });
  return async (call, signal) => {
    signal?.throwIfAborted();
    if (free > 0) free -= 1;
    else await turn(signal);
    try {
      return await call();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
