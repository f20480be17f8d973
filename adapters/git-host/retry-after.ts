import type { GuardedAnswer } from '../http-fetch/guarded-fetch.ts';

/** GitHub says to wait a minute where nothing is told. */
const UNTOLD_SECONDS = 60;
const MOST_SECONDS = 3_600;

/**
 * For how many seconds a host asks to be left alone, from 1 to 3,600; null when it does not. `Retry-After` first, then the
 * end of the window whose calls are used up.
 */
export function retryAfterSeconds(
  { status, headers, text }: Pick<GuardedAnswer, 'status' | 'headers' | 'text'>,
  now: Date,
): number | null {
  const used = headers['x-ratelimit-remaining'] === '0' || headers['ratelimit-remaining'] === '0';
  const asked = headers['retry-after'] !== undefined;
  const limited = status === 429 || (status === 403 && (used || asked || /rate limit/i.test(text)));
  if (!limited && !(status === 503 && asked)) return null;
  return Math.min(Math.max(Math.ceil(told(headers, now) ?? UNTOLD_SECONDS), 1), MOST_SECONDS);
}

function told(headers: GuardedAnswer['headers'], now: Date): number | null {
  const after = headers['retry-after'];
  if (after !== undefined && /^\d+$/.test(after)) return Number(after);
  if (after !== undefined && !Number.isNaN(Date.parse(after))) return (Date.parse(after) - now.getTime()) / 1000;
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
  return Number.isFinite(reset) && reset > 0 ? reset - now.getTime() / 1000 : null;
}
