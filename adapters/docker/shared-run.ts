/**
 * A call that sets a state, for many who want it at once: those who ask while it runs share the next run, because the
 * one that runs may have begun before what they ask it for.
 */
export function createSharedRun<T>(call: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting: Promise<T> | null = null;
  const begin = (): Promise<T> => {
    waiting = null;
    return call();
  };
  return () => {
    if (waiting === null) {
      waiting = last.then(begin, begin);
      last = waiting;
    }
    return waiting;
  };
}
