import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { boundedFetch } from '../http-fetch/bounded-fetch.ts';

export interface PowerDnsOptions {
  /** POWERDNS_API_URL, such as `http://127.0.0.1:8081`. */
  readonly url: string;
  readonly apiKey: string;
}

const TIMEOUT_MS = 30_000;
/** The longest answer: what is read of a zone is one name of it. */
const MOST_BYTES = 8 * 1024 * 1024;
const SYSTEM = { system: 'powerdns' } as const;
const LONGEST_MESSAGE = 300;

const errorSchema = z.object({ error: z.string(), errors: z.array(z.string()).default([]) });

export interface PowerDnsCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/api/v1/servers/localhost/zones`. */
  readonly path: string;
  readonly body?: object;
  readonly signal?: AbortSignal | undefined;
}

/** What PowerDNS answered with a status that says no. */
export const statusOfPowerDns = (error: unknown): number | null => {
  const details = error instanceof FairleadError ? error.details : null;
  return z.object({ status: z.number() }).safeParse(details).data?.status ?? null;
};

/**
 * Calls of the HTTP API of PowerDNS (https://doc.powerdns.com/authoritative/http-api/), which an operator sets up: its
 * address is no user's.
 * @returns a function that @throws UNAVAILABLE (retryable) for no answer, 5xx and 429; else DNS_PROVIDER_REFUSED
 */
export function createPowerDnsCalls({ url, apiKey }: PowerDnsOptions) {
  const bounded = boundedFetch(fetch, MOST_BYTES);
  const base = `${url.replace(/\/+$/, '')}/api/v1/servers/localhost/zones`;
  return async <T>({ method, path, body, signal }: PowerDnsCall, schema: z.ZodType<T>): Promise<T> => {
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    const request = {
      ...{ method, redirect: 'error' as const, headers: { 'x-api-key': apiKey, 'content-type': 'application/json' } },
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const { status, text } = await answerOf(() => bounded(`${base}${path}`, request), signal);
    if (status >= 400) throw refused(status, text);
    const read = schema.safeParse(text === '' ? null : parseJson(text));
    if (read.success) return read.data;
    throw new FairleadError('DNS_PROVIDER_REFUSED', 'PowerDNS answers in other terms than its API has', SYSTEM);
  };
}

async function answerOf(ask: () => Promise<Response>, signal: AbortSignal | undefined) {
  try {
    const response = await ask();
    return { status: response.status, text: await response.text() };
  } catch {
    signal?.throwIfAborted();
    throw new FairleadError('UNAVAILABLE', 'PowerDNS did not answer in time', { ...SYSTEM, retryable: true });
  }
}

function refused(status: number, text: string): FairleadError {
  const read = errorSchema.safeParse(parseJson(text));
  const said = read.success ? [read.data.error, ...read.data.errors].join(', ').slice(0, LONGEST_MESSAGE) : '';
  const message = `PowerDNS answers ${status}${said === '' ? '' : `: ${said}`}`;
  const isAway = status === 429 || status >= 500;
  if (isAway) return new FairleadError('UNAVAILABLE', message, { ...SYSTEM, retryable: true, details: { status } });
  return new FairleadError('DNS_PROVIDER_REFUSED', message, { ...SYSTEM, details: { status } });
}
