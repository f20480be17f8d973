/** Work that is done over and over. */
export interface Polling {
  /** Does the work now, or joins the round under way. */
  now(): Promise<void>;
  /** Aborts the round under way; there is no other. */
  stop(): void;
}

/**
 * Does `work` at once, and again `pauseMs` after each round; its signal aborts after `limitMs`. Keeps no process alive.
 * `work` must not fail.
 */
export function startPolling(
  work: (signal: AbortSignal) => Promise<void>,
  { pauseMs, limitMs }: { pauseMs: number; limitMs: number },
): Polling {
  let stopped = false;
  let round: { readonly abort: AbortController; readonly done: Promise<void> } | null = null;
  let timer: NodeJS.Timeout | undefined;

  const begin = async (abort: AbortController): Promise<void> => {
    // A timer that is cleared: hundreds of timeouts a minute that fire for nothing cost more than the work.
    const limit = setTimeout(() => abort.abort(), limitMs).unref();
    await work(abort.signal);
    clearTimeout(limit);
    round = null;
    if (!stopped) timer = setTimeout(() => void now(), pauseMs).unref();
  };
  const now = (): Promise<void> => {
    clearTimeout(timer);
    if (stopped) return Promise.resolve();
    if (round === null) {
      const abort = new AbortController();
      round = { abort, done: begin(abort) };
    }
    return round.done;
  };
  void now();
  return {
    now,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      round?.abort.abort();
    },
  };
}
