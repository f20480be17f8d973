import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { createGuardedFetch, type GuardedAnswer } from '../http-fetch/guarded-fetch.ts';
import type { Lookup } from '../public-address.ts';
import type { ProviderApi, Refusal } from './provider-api.ts';
import { retryAfterSeconds } from './retry-after.ts';

export interface HostCallOptions {
  /** The platform's own git host (GIT_URL), which may have a private address; null when there is none. */
  readonly platformGitUrl: string | null;
  readonly lookup?: Lookup;
  readonly now: () => Date;
  /** Longest wait for one answer; 10 seconds when it says nothing. */
  readonly timeoutMs?: number;
}

/** What a call is made to, and with. */
export interface HostAccess {
  readonly api: ProviderApi;
  /** Base address of the API, without a trailing slash. */
  readonly base: string;
  readonly token: string;
}

export interface HostRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base address, its parts encoded. */
  readonly path: string;
  readonly body?: object;
  /** In the body, and in nothing that is told of the answer. */
  readonly secret?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface HostAnswer extends Refusal {
  readonly ok: boolean;
  readonly body: unknown;
  /** Whether a list goes on. */
  readonly hasNext: boolean;
}

/**
 * One call of the API of a git host. 2xx, 400, 404, 409, 410 and 422 are answers.
 * @throws GIT_TOKEN_REFUSED, RATE_LIMITED, UNAVAILABLE, SOURCE_REFUSED as the port `GitHost` says; the reason of an abort
 */
export type HostCall = (access: HostAccess, request: HostRequest) => Promise<HostAnswer>;

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 4 * 1024 ** 2;
const MOST_WORDS = 200;
const ANSWERS: ReadonlySet<number> = new Set([400, 404, 409, 410, 422, 451]);
export const SYSTEM = 'git-host';

export function createHostCall({ platformGitUrl, lookup, now, timeoutMs = TIMEOUT_MS }: HostCallOptions): HostCall {
  const fetchGuarded = createGuardedFetch({
    trustedOrigins: platformGitUrl === null ? [] : [new URL(platformGitUrl).origin],
    ...(lookup === undefined ? {} : { lookup }),
    timeoutMs,
    mostBytes: MOST_BYTES,
  });
  /** Until when (ms) a host takes no calls of a token: one that is asked again and again while it refuses may lock it. */
  const quietUntil = new LRUCache<string, number>({ max: 1_000 });

  return async ({ api, base, token }, { method, path, body, secret, signal }) => {
    signal?.throwIfAborted();
    if (!/^[\x21-\x7e]+$/.test(token)) {
      throw tokenRefused(`The token for ${api.title} has blanks or line ends; give the bare token`);
    }
    const { origin, host } = new URL(base);
    const quietKey = `${origin} ${createHash('sha256').update(token).digest('base64')}`;
    const quietMs = (quietUntil.get(quietKey) ?? 0) - now().getTime();
    if (quietMs > 0) throw limited(`${api.title} at ${host}`, Math.ceil(quietMs / 1000));

    const answer = await fetchGuarded({
      method,
      url: base + path,
      headers: {
        'user-agent': 'fairlead',
        ...api.headers(token),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    }).catch((error: unknown) => {
      throw asOfGitHost(error);
    });
    const seconds = retryAfterSeconds(answer, now());
    if (seconds !== null) quietUntil.set(quietKey, now().getTime() + seconds * 1000);
    const sent = secret === undefined || secret === '' ? [token] : [token, secret];
    return toAnswer(answer, { title: api.title, host, scopes: api.scopes, sent }, seconds);
  };
}

interface Host {
  readonly title: string;
  readonly host: string;
  readonly scopes: string;
  /** Secrets that were sent. */
  readonly sent: readonly string[];
}

function toAnswer(answer: GuardedAnswer, { title, host, scopes, sent }: Host, seconds: number | null): HostAnswer {
  const { status, headers, text } = answer;
  const at = `${title} at ${host}`;
  if (status === 401) throw tokenRefused(`${at} does not know the token; give another one`);
  if (seconds !== null) throw limited(at, seconds);
  const body = parseJson(text);
  const words = wordsOf(body, sent);
  if (status === 403) {
    throw tokenRefused(`${at} does not let the token do this${words && ` (${words})`}; it needs ${scopes}`);
  }
  const ok = status >= 200 && status < 300;
  // Gitea's one answer to what went wrong inside of it is looked at by who called.
  if (!ok && !ANSWERS.has(status) && status !== 500) throw unavailable(`${at} answered ${status}`);
  return { ok, status, words, body, hasNext: /\brel="?next"?/.test(headers.link ?? '') };
}

/** What an answer of another host says of a failure: one line, bounded, without what we sent. */
function wordsOf(body: unknown, sent: readonly string[]): string {
  const { message, error, errors } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const told = [message ?? error, errors].filter((part) => part !== undefined && part !== null);
  const text = told.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' ');
  // As it is, and as it stands in JSON.
  const forms = sent.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]);
  const clean = forms.reduce((rest, form) => rest.replaceAll(form, '[redacted]'), text);
  return Array.from(clean.slice(0, 2 * MOST_WORDS), (character) => (character < ' ' ? ' ' : character))
    .slice(0, MOST_WORDS)
    .join('')
    .trim();
}

/** Reads what a call answered. @throws UNAVAILABLE when it has another format */
export function readAnswer<T extends z.ZodType>({ api, base }: HostAccess, schema: T, body: unknown): z.output<T> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  // Without the values, which may be anything.
  const path = read.error.issues[0]?.path.join('.') ?? '';
  throw unavailable(`${api.title} at ${new URL(base).host} answered in an unexpected format (${path || 'body'})`);
}

/** A failure of the outbound fetch, told as one of the git host. */
function asOfGitHost(error: unknown): unknown {
  if (!(error instanceof FairleadError) || error.code !== 'UNAVAILABLE') return error;
  return unavailable(error.message, error.cause);
}

export function unavailable(message: string, cause?: unknown): FairleadError {
  return new FairleadError('UNAVAILABLE', message, { system: SYSTEM, retryable: true, cause });
}

function limited(at: string, seconds: number): FairleadError {
  return new FairleadError('RATE_LIMITED', `${at} takes no more calls of this token for ${seconds} s`, {
    system: SYSTEM,
    retryable: true,
    details: { retryAfterSeconds: seconds },
  });
}

function tokenRefused(message: string): FairleadError {
  return new FairleadError('GIT_TOKEN_REFUSED', message, { system: SYSTEM });
}
