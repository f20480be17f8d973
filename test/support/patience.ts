/**
 * How long a test waits for what takes seconds on a quiet machine. It is long enough for a loaded one, so that only
 * what hangs meets it; no test measures by it.
 */
export const PATIENCE_MS = 180_000;

export const patience = (): AbortSignal => AbortSignal.timeout(PATIENCE_MS);
