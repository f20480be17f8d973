import { z } from 'zod';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';

export interface ServiceTokensOptions {
  /** IDP_URL */
  readonly idpUrl: string | undefined;
  /** IDP_CLIENT_ID */
  readonly clientId: string | undefined;
  /** IDP_CLIENT_SECRET */
  readonly clientSecret: string | undefined;
  /** Such as `orders:read`; several are separated by spaces. */
  readonly scope?: string;
  /** Client id of the service that is called. Without it the provider takes the services that the scopes name. */
  readonly audience?: string;
  readonly fetch?: typeof fetch;
  readonly clock?: Clock;
}

export interface ServiceTokens {
  /**
   * A token that is good for a while yet, for `Authorization: Bearer`.
   * @throws UNAUTHORIZED when the provider refuses, with details `{ error }` of RFC 6749, 5.2; UNAVAILABLE (retryable)
   */
  token(): Promise<string>;
  /** Forgets the token, so that the next call gets a new one: for a 401 from the service that was called. */
  forget(token: string): void;
}

const REQUEST_LIMIT_MS = 5_000;
/** A new token is fetched beside the old one when a fifth of its life is left, and waited for in its last seconds. */
const EARLY_FRACTION = 0.2;
const TOO_LATE_MS = 10_000;
const RETRY_MS = 5_000;

const tokenReply = z.looseObject({ access_token: z.string().min(1), expires_in: z.number().positive() });
const errorReply = z.looseObject({ error: z.string().max(100) });

interface Held {
  readonly token: string;
  readonly renewAt: number;
  readonly endsAt: number;
}

/**
 * Tokens of a service for its own calls to others: grant client_credentials (spec 1, A 6), cached, fetched once however
 * many ask, and renewed before they end.
 *
 * @throws VALIDATION_FAILED naming the variable that is missing: a service without `spec.auth` in its catalog has none
 */
export function createServiceTokens(options: ServiceTokensOptions): ServiceTokens {
  const settings = requireSettings(options);
  const { clock = () => new Date() } = options;
  let held: Held | null = null;
  let fetching: Promise<Held> | null = null;
  let retryAt = 0;

  const renew = (): Promise<Held> => {
    fetching ??= fetchToken(settings, options)
      .then(({ token, expiresInMs }) => {
        const now = clock().getTime();
        held = { token, renewAt: now + expiresInMs * (1 - EARLY_FRACTION), endsAt: now + expiresInMs };
        return held;
      })
      .finally(() => {
        fetching = null;
        retryAt = clock().getTime() + RETRY_MS;
      });
    return fetching;
  };
  return {
    token: async () => {
      const now = clock().getTime();
      if (held === null || now >= held.endsAt - TOO_LATE_MS) return (await renew()).token;
      // The old one is good yet: a provider that is away now is asked again in a moment.
      if (now >= held.renewAt && now >= retryAt) renew().catch(() => {});
      return held.token;
    },
    forget: (token) => {
      if (held?.token === token) held = null;
    },
  };
}

interface Settings {
  readonly idpUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

function requireSettings({ idpUrl, clientId, clientSecret }: ServiceTokensOptions): Settings {
  const missing = Object.entries({ IDP_URL: idpUrl, IDP_CLIENT_ID: clientId, IDP_CLIENT_SECRET: clientSecret })
    .filter(([, value]) => value === undefined || value === '')
    .map(([name]) => name);
  if (missing.length > 0 || idpUrl === undefined || clientId === undefined || clientSecret === undefined) {
    const verb = missing.length > 1 ? 'are' : 'is';
    const message = `${missing.join(' and ')} ${verb} required: declare spec.auth in the catalog, then deploy`;
    throw new FairleadError('VALIDATION_FAILED', message);
  }
  return { idpUrl: idpUrl.replace(/\/+$/, ''), clientId, clientSecret };
}

async function fetchToken(
  settings: Settings,
  { scope, audience, fetch = globalThis.fetch }: ServiceTokensOptions,
): Promise<{ token: string; expiresInMs: number }> {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: settings.clientId,
    client_secret: settings.clientSecret,
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
  });
  const response = await request(fetch, `${settings.idpUrl}/api/oauth/token`, body);
  const reply: unknown = await response.json().catch(() => null);
  if (response.status >= 400 && response.status < 500 && response.status !== 429) {
    const error = errorReply.safeParse(reply).data?.error ?? `status ${response.status}`;
    const message = `The identity provider gives ${settings.clientId} no token: ${error}`;
    throw new FairleadError('UNAUTHORIZED', message, { details: { error } });
  }
  const parsed = tokenReply.safeParse(reply);
  if (!response.ok || !parsed.success) throw unavailable(new Error(`it answered ${response.status}`));
  return { token: parsed.data.access_token, expiresInMs: parsed.data.expires_in * 1000 };
}

async function request(send: typeof fetch, url: string, body: URLSearchParams): Promise<Response> {
  try {
    // The secret follows no redirect.
    return await send(url, { method: 'POST', body, redirect: 'error', signal: AbortSignal.timeout(REQUEST_LIMIT_MS) });
  } catch (cause) {
    throw unavailable(cause);
  }
}

function unavailable(cause: unknown): FairleadError {
  return new FairleadError('UNAVAILABLE', 'The identity provider issues no token now', { cause, retryable: true });
}
