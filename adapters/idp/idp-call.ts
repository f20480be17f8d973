import { z } from 'zod';
import { FairleadError, isErrorCode } from '../../domain/errors.ts';
import { ACTING_FOR_HEADER, type ActingFor } from '../../domain/oauth-clients/administration-port.ts';

export interface IdpConnection {
  /** Base address without a trailing slash. */
  readonly url: string;
  /** The builder's internal key at the identity provider (IDP_INTERNAL_KEY). */
  readonly internalKey: string;
  /** Longest wait for one answer; 10 seconds when it says nothing. */
  readonly timeoutMs?: number;
}

export interface IdpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base address, its parts encoded. */
  readonly path: string;
  readonly body?: unknown;
  readonly by?: ActingFor;
  readonly signal?: AbortSignal;
}

/**
 * One call of the identity provider's internal API: the data of its envelope.
 * @throws the provider's own code where it is about the request; UNAVAILABLE (retryable, of the system
 *   `identity-provider`) when the provider is away, or takes no calls from here
 */
export type IdpCall = <T extends z.ZodType>(reply: T, request: IdpRequest) => Promise<z.output<T>>;

const TIMEOUT_MS = 10_000;

const envelopeSchema = z.discriminatedUnion('success', [
  z.object({ success: z.literal(true), data: z.unknown() }),
  z.object({
    success: z.literal(false),
    error: z.object({ code: z.string(), message: z.string(), details: z.unknown().optional() }),
  }),
]);

/** Codes that are about the calling service and its key, not about what its own caller asked for. */
const OURS = new Set(['UNAUTHORIZED', 'INTERNAL', 'UNAVAILABLE', 'RATE_LIMITED', 'METHOD_NOT_ALLOWED']);

export function createIdpCall(connection: IdpConnection): IdpCall {
  return async (reply, request) => {
    const response = await send(connection, request);
    const envelope = envelopeSchema.safeParse(response.body);
    if (!envelope.success) throw unavailable(`answered ${response.status} in an unexpected format`);
    if (!envelope.data.success) throw asOwnError(envelope.data.error);
    const data = reply.safeParse(envelope.data.data);
    if (!data.success) throw unavailable('has another version: its reply has another format', data.error);
    return data.data;
  };
}

async function send(
  { url, internalKey, timeoutMs = TIMEOUT_MS }: IdpConnection,
  { method, path, body, by, signal }: IdpRequest,
): Promise<{ status: number; body: unknown }> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url + path, {
      method,
      // The key must not follow a redirect to another host.
      redirect: 'error',
      headers: {
        accept: 'application/json',
        'x-internal-key': internalKey,
        ...(by === undefined ? {} : { [ACTING_FOR_HEADER]: by.actor }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    return { status: response.status, body: await response.json().catch(() => null) };
  } catch (error) {
    signal?.throwIfAborted();
    throw unavailable(limit.aborted ? `did not answer within ${timeoutMs / 1000} s` : 'cannot be reached', error);
  }
}

function asOwnError({ code, message, details }: { code: string; message: string; details?: unknown }): FairleadError {
  if (code === 'UNAUTHORIZED') return unavailable('does not take the key of the builder (IDP_INTERNAL_KEY)');
  if (!isErrorCode(code) || OURS.has(code)) return unavailable(`failed with ${code}`);
  return new FairleadError(code, message, { details });
}

function unavailable(what: string, cause?: unknown): FairleadError {
  return new FairleadError('UNAVAILABLE', `The identity provider ${what}.`, {
    system: 'identity-provider',
    retryable: true,
    cause,
  });
}
