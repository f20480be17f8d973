import type { VendorAnswer } from '../../support/git-vendors/vendor-server.ts';

const STATUSES: Readonly<Record<number, string>> = {
  ...{ 400: 'INVALID_ARGUMENT', 401: 'UNAUTHENTICATED', 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND' },
  ...{ 429: 'RESOURCE_EXHAUSTED', 500: 'INTERNAL', 503: 'UNAVAILABLE' },
};
const USAGE: ReadonlySet<string> = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'quotaExceeded',
  'dailyLimitExceeded',
]);

/** An error as Google's APIs answer it: the reason stands with the first of `errors`. */
export function googleError(code: number, reason: string, message: string): VendorAnswer {
  const domain = USAGE.has(reason) ? 'usageLimits' : 'global';
  return {
    status: code,
    body: { error: { code, message, errors: [{ message, domain, reason }], status: STATUSES[code] ?? 'UNKNOWN' } },
  };
}
