/** How old an answer may be that is given once more. */
const MAX_AGE_MS = 1_000;

/**
 * One read for all who ask within a second: its answer is no older than that, counted from when it began. A failure is
 * given to those who wait for it, and to nobody later.
 */
export function shareRead<T>(read: () => Promise<T>, maxAgeMs = MAX_AGE_MS): () => Promise<T> {
  let last: { readonly answer: Promise<T>; readonly begunAt: number } | null = null;
  return () => {
    if (last !== null && performance.now() - last.begunAt < maxAgeMs) return last.answer;
    const own = { answer: read(), begunAt: performance.now() };
    last = own;
    own.answer.catch(() => {
      if (last === own) last = null;
    });
    return own.answer;
  };
}
