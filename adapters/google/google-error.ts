import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { askedWait } from '../asked-wait.ts';

/** What Google's APIs answer with an error (https://developers.google.com/webmaster-tools/v1/errors). */
const apiErrorSchema = z.object({
  error: z.object({
    code: z.number(),
    message: z.string().default(''),
    errors: z.array(z.object({ reason: z.string().default(''), message: z.string().default('') })).default([]),
  }),
});

/** What its token endpoint does (RFC 6749, 5.2). */
const tokenErrorSchema = z.object({ error: z.string() });

const failureSchema = z.object({
  status: z.number().optional(),
  response: z.object({ status: z.number(), data: z.unknown(), headers: z.instanceof(Headers).optional() }).optional(),
});

/** Reasons of a 403 that pass by themselves, and after how many seconds. */
const PASSING_REASONS: Readonly<Record<string, number>> = {
  rateLimitExceeded: 60,
  userRateLimitExceeded: 60,
  quotaExceeded: 900,
  dailyLimitExceeded: 3_600,
};

const LONGEST_MESSAGE = 300;
const SYSTEM = { system: 'google' } as const;

/**
 * What a call of Google failed with, in our terms. The error of the library is left behind: it carries the request, and
 * with it the token.
 * @returns UNAVAILABLE (retryable) for what passes: no answer, 5xx, 429 and used-up quotas; GOOGLE_PERMISSION where Google
 *   knows the account and does not let it, or does not know it; else GOOGLE_REFUSED. Their details: `status` and `reason`.
 */
export function toGoogleError(error: unknown): FairleadError {
  if (error instanceof FairleadError) return error;
  const { response } = failureSchema.safeParse(error).data ?? {};
  if (response === undefined) {
    return new FairleadError('UNAVAILABLE', 'Google did not answer in time', { ...SYSTEM, retryable: true });
  }
  const { status, data, headers } = response;
  const { reason, message } = describe(data);
  const wait = waitOf(status, reason, headers);
  const said = message === '' ? '' : `: ${message.slice(0, LONGEST_MESSAGE)}`;
  if (wait !== null) {
    const details = { status, reason, ...(wait > 0 && { retryAfterSeconds: wait }) };
    return new FairleadError('UNAVAILABLE', `Google answers ${status}${said}`, { ...SYSTEM, retryable: true, details });
  }
  const details = { status, reason };
  const isToken = tokenErrorSchema.safeParse(data).success;
  if (status === 401 || status === 403 || isToken) {
    const which = isToken ? 'the key of the service account is not accepted' : 'the service account may not do this';
    return new FairleadError('GOOGLE_PERMISSION', `Google says that ${which}${said}`, { ...SYSTEM, details });
  }
  return new FairleadError('GOOGLE_REFUSED', `Google answers ${status}${said}`, { ...SYSTEM, details });
}

/** Seconds to wait, an hour at most; 0 for as long as the caller likes; null for what does not pass. */
function waitOf(status: number, reason: string, headers: Headers | undefined): number | null {
  if (status === 429) return askedWait(headers) ?? 60;
  if (status >= 500) return askedWait(headers) ?? 0;
  return status === 403 ? (PASSING_REASONS[reason] ?? null) : null;
}

function describe(data: unknown): { readonly reason: string; readonly message: string } {
  const ofApi = apiErrorSchema.safeParse(data);
  if (ofApi.success) {
    const { message, errors } = ofApi.data.error;
    return { reason: errors[0]?.reason ?? '', message };
  }
  const ofToken = tokenErrorSchema.safeParse(data);
  return ofToken.success ? { reason: ofToken.data.error, message: ofToken.data.error } : { reason: '', message: '' };
}
