/** Whoever answers may be wrong: nothing stands still for longer. */
const MOST_SECONDS = 3_600;

/** For how many seconds a vendor asks to be left alone (`Retry-After` as a number), an hour at most; null when it does not. */
export function askedWait(headers: Headers | undefined): number | null {
  const asked = Math.min(Number(headers?.get('retry-after') ?? Number.NaN), MOST_SECONDS);
  return Number.isFinite(asked) ? asked : null;
}
