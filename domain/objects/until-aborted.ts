/**
 * Passes items on until the signal aborts, also while the next one is awaited. What gives them is then asked to end, but
 * not waited for: it may be what hangs.
 * @throws the reason of the signal
 */
export async function* untilAborted<T>(
  items: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void, undefined> {
  const iterator = items[Symbol.asyncIterator]();
  let hasEnded = false;
  try {
    for (;;) {
      const next = await orAborted(() => iterator.next(), signal);
      hasEnded = next.done === true;
      if (next.done === true) return;
      yield next.value;
    }
  } catch (error) {
    // An iterator that throws has ended by itself.
    hasEnded = signal?.aborted !== true;
    throw error;
  } finally {
    if (!hasEnded) iterator.return?.().catch(() => undefined);
  }
}

/** Waits for one promise. `Promise.race` would keep every item for as long as the signal lives. */
function orAborted<T>(begin: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return begin();
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    begin()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}
