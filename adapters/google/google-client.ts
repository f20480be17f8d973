import { readFile } from 'node:fs/promises';
import type { JWT } from 'google-auth-library';
import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { QuotaScope } from '../../domain/properties/quota.ts';
import { type CallBudget, type Patience, secondsAsked } from '../call-budget.ts';
import { boundedFetch } from '../http-fetch/bounded-fetch.ts';
import { toGoogleError } from './google-error.ts';

/** Longest wait for an answer. */
const TIMEOUT_MS = 60_000;
/** The longest answer: 25,000 rows of search data take about 6 MB. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Of Search Console and Site Verification, to read and to write. */
const SCOPES = [
  'https://www.googleapis.com/auth/webmasters',
  'https://www.googleapis.com/auth/siteverification',
] as const;

export interface GoogleClientOptions {
  /** The path of the key file of a service account: it is read when Google is first asked. */
  readonly credentialsFile: string;
  readonly budget: CallBudget;
  /** Node's own by default; tests lead it to a server of theirs. */
  readonly fetch?: typeof fetch;
  /** Shortened in tests. */
  readonly timeoutMs?: number;
}

export interface GoogleRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly body?: object;
}

/** What a call counts towards, and how long it may wait for its turn. */
export interface Counted extends Patience {
  /** The widest last: it is paused for all processes where Google says that there were too many calls. */
  readonly scopes: readonly QuotaScope[];
}

/** Google's APIs as one service account. Every method: @throws as {@link toGoogleError} says; RATE_LIMITED as the budget does */
export interface GoogleClient {
  /** One call by the authenticated client, whose answer is parsed. */
  request<T extends z.ZodType>(answer: T, request: GoogleRequest, counted: Counted): Promise<z.output<T>>;
  /**
   * One call by a client library of Google, which is given the authenticated client as `auth`. It must not retry by itself:
   * retries are those of activities.
   */
  withAuth<T>(counted: Counted, call: (auth: JWT) => Promise<T>): Promise<T>;
}

/**
 * Google's APIs by its own library for authentication and requests, which is loaded with the first call. Each call first
 * takes from the quotas that it counts towards.
 */
export function createGoogleClient(options: GoogleClientOptions): GoogleClient {
  const { budget } = options;
  let client: Promise<JWT> | null = null;
  const authenticated = (): Promise<JWT> => {
    client ??= authenticate(options).catch((error: unknown) => {
      client = null;
      throw error;
    });
    return client;
  };
  async function failed(error: unknown, scopes: readonly QuotaScope[]): Promise<FairleadError> {
    const failure = toGoogleError(error);
    const [seconds, widest] = [secondsAsked(failure), scopes.at(-1)];
    if (seconds !== null && widest !== undefined) await budget.pause(widest.key, seconds);
    return failure;
  }
  const withAuth: GoogleClient['withAuth'] = async ({ scopes, ...patience }, call) => {
    const auth = await authenticated();
    await budget.acquire(scopes, patience);
    try {
      return await call(auth);
    } catch (error) {
      if (!isUnauthenticated(error)) throw await failed(error, scopes);
    }
    // The library keeps a token until it expires; one that was revoked before is given up here.
    client = null;
    await budget.acquire(scopes, patience);
    try {
      return await call(await authenticated());
    } catch (error) {
      throw await failed(error, scopes);
    }
  };
  return {
    withAuth,
    request: (answer, { method, url, body }, counted) =>
      withAuth(counted, async (auth) => {
        const { data } = await auth.request({ method, url, ...(body !== undefined && { data: body }) });
        const parsed = answer.safeParse(data);
        if (parsed.success) return parsed.data;
        throw new FairleadError('UNAVAILABLE', 'Google answered in a form that is not documented', {
          ...{ system: 'google', retryable: true },
        });
      }),
  };
}

/** A token that Google does not know, or no more. */
function isUnauthenticated(error: unknown): boolean {
  return z.object({ response: z.object({ status: z.literal(401) }) }).safeParse(error).success;
}

const keyFileSchema = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().min(1),
});

async function authenticate(options: GoogleClientOptions): Promise<JWT> {
  const { credentialsFile, fetch: given = fetch, timeoutMs = TIMEOUT_MS } = options;
  const key = await readKey(credentialsFile);
  const { JWT, gaxios } = await import('google-auth-library');
  const transporter = new gaxios.Gaxios({
    fetchImplementation: boundedFetch(given, MOST_BYTES),
    timeout: timeoutMs,
    retry: false,
  });
  return new JWT({
    email: key.client_email,
    key: key.private_key,
    scopes: [...SCOPES],
    transporter,
  });
}

/** @throws GOOGLE_NOT_CONFIGURED, which never shows what the file holds */
async function readKey(path: string): Promise<z.output<typeof keyFileSchema>> {
  const text = await readFile(path, 'utf8').catch(() => null);
  const key = keyFileSchema.safeParse(text === null ? null : parseJson(text));
  if (key.success) return key.data;
  const message = `GOOGLE_APPLICATION_CREDENTIALS names ${text === null ? 'a file that cannot be read' : 'no key file of a service account'}`;
  throw new FairleadError('GOOGLE_NOT_CONFIGURED', `${message}: ${path}`);
}
