import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { askedWait } from '../asked-wait.ts';

const apiErrorSchema = z.object({
  status: z.number(),
  headers: z.instanceof(Headers).optional(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).default([]),
});

const LONGEST_MESSAGE = 300;
const SYSTEM = { system: 'cloudflare' } as const;

/**
 * What a call of Cloudflare failed with, in our terms. The error of the library is left behind: it carries the request.
 * @returns UNAVAILABLE (retryable) for no answer, 5xx and 429; else DNS_PROVIDER_REFUSED
 */
export function toCloudflareError(error: unknown): FairleadError {
  if (error instanceof FairleadError) return error;
  const read = apiErrorSchema.safeParse(error);
  if (!read.success) {
    return new FairleadError('UNAVAILABLE', 'Cloudflare did not answer in time', { ...SYSTEM, retryable: true });
  }
  const { status, headers, errors } = read.data;
  const said = errors
    .map(({ code, message }) => `${message} (${code})`)
    .join(', ')
    .slice(0, LONGEST_MESSAGE);
  const message = `Cloudflare answers ${status}${said === '' ? '' : `: ${said}`}`;
  if (status !== 429 && status < 500) {
    const codes = errors.map(({ code }) => code);
    return new FairleadError('DNS_PROVIDER_REFUSED', message, { ...SYSTEM, details: { status, codes } });
  }
  const wait = askedWait(headers) ?? (status === 429 ? 300 : 0);
  const details = { status, ...(wait > 0 && { retryAfterSeconds: wait }) };
  return new FairleadError('UNAVAILABLE', message, { ...SYSTEM, retryable: true, details });
}
