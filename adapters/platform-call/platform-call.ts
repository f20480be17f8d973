import { z } from 'zod';
import { FairleadError, isErrorCode } from '../../domain/errors.ts';
import { cutBeforeRedaction } from '../../domain/logs/cut-line.ts';
import { parseJson } from '../../domain/parse-json.ts';
import type { ServiceTokens } from '../../sdk/auth/service-tokens.ts';

/** A service of the platform that another one asks. */
export interface PlatformConnection extends Address {
  /** The key that the service takes from the platform's own processes. */
  readonly internalKey: string;
}

/** One that takes tokens of the caller's own client, and no key. */
export interface TokenConnection extends Address {
  readonly tokens: ServiceTokens;
}

interface Address {
  /** Base address without a trailing slash. */
  readonly url: string;
  /** Longest wait for one answer; 10 seconds when it says nothing. */
  readonly timeoutMs?: number;
}

/** How its failures are told. */
export interface CalledService {
  /** As {@link FairleadError.system} names it. */
  readonly system: string;
  /** Begins a sentence: `The identity provider`. */
  readonly title: string;
  /** The variable of the key, for who has to correct it. */
  readonly keyVariable: string;
  /** The longest answer that it has, in characters; 8 Mi when it says nothing. */
  readonly mostCharacters?: number;
}

export interface PlatformRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base address, its parts encoded. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One call of a service of the platform by its internal key or by a token: the data of its envelope.
 * @throws the service's own code where it is about the request; UNAVAILABLE (retryable, of that system) when the service
 *   is away, takes no calls from here, or answers what is no answer
 */
export type PlatformCall = <T extends z.ZodType>(reply: T, request: PlatformRequest) => Promise<z.output<T>>;

const TIMEOUT_MS = 10_000;
/** No answer of the platform's own services is longer: pages are bounded. */
const MOST_CHARACTERS = 8 * 1024 ** 2;
/** Of a refusal, which goes into the record of a build and its history. */
const MOST_MESSAGE_CHARACTERS = 2_000;

const envelopeSchema = z.discriminatedUnion('success', [
  z.object({ success: z.literal(true), data: z.unknown() }),
  z.object({
    success: z.literal(false),
    error: z.object({ code: z.string(), message: z.string(), details: z.unknown().optional() }),
  }),
]);

/** Codes that are about the calling process and its key, not about what its own caller asked for. */
const OURS = new Set(['UNAUTHORIZED', 'INTERNAL', 'UNAVAILABLE', 'RATE_LIMITED', 'METHOD_NOT_ALLOWED']);

export function createPlatformCall(
  connection: PlatformConnection | TokenConnection,
  service: CalledService,
): PlatformCall {
  const unavailable = (what: string, cause?: unknown): FairleadError =>
    new FairleadError('UNAVAILABLE', `${service.title} ${what}.`, { system: service.system, retryable: true, cause });

  /** A token that was revoked meanwhile is replaced once. */
  async function sendKnown(request: PlatformRequest) {
    if (!('tokens' in connection)) return send(request, { 'x-internal-key': connection.internalKey });
    const { tokens } = connection;
    const first = await tokenOf(tokens);
    const answer = await send(request, { authorization: `Bearer ${first}` });
    if (answer.status !== 401) return answer;
    tokens.forget(first);
    return send(request, { authorization: `Bearer ${await tokenOf(tokens)}` });
  }

  async function tokenOf(tokens: ServiceTokens): Promise<string> {
    try {
      return await tokens.token();
    } catch (error) {
      throw unavailable(`is not asked: the identity provider gives no token for it (${service.keyVariable})`, error);
    }
  }

  async function send(request: PlatformRequest, credential: Readonly<Record<string, string>>) {
    const { url, timeoutMs = TIMEOUT_MS } = connection;
    const { method, path, body, headers, signal } = request;
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url + path, {
        method,
        // The key must not follow a redirect to another host.
        redirect: 'error',
        headers: {
          accept: 'application/json',
          ...credential,
          ...headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      });
      return { status: response.status, body: parseJson(await readText(response, service.mostCharacters)) };
    } catch (error) {
      signal?.throwIfAborted();
      throw unavailable(limit.aborted ? `did not answer within ${timeoutMs / 1000} s` : 'cannot be reached', error);
    }
  }

  function asOwnError({ code, message, details }: { code: string; message: string; details?: unknown }) {
    if (code === 'UNAUTHORIZED') return unavailable(`does not take the key of the builder (${service.keyVariable})`);
    if (!isErrorCode(code) || OURS.has(code)) return unavailable(`failed with ${code}`);
    return new FairleadError(code, cutBeforeRedaction(message, MOST_MESSAGE_CHARACTERS), { details });
  }

  return async (reply, request) => {
    const response = await sendKnown(request);
    const envelope = envelopeSchema.safeParse(response.body);
    if (!envelope.success) throw unavailable(`answered ${response.status} in an unexpected format`);
    if (!envelope.data.success) throw asOwnError(envelope.data.error);
    const data = reply.safeParse(envelope.data.data);
    if (!data.success) throw unavailable('has another version: its reply has another format', data.error);
    return data.data;
  };
}

/** The text of an answer; empty, which is no JSON, for one that is longer than the bound. */
async function readText(response: Response, most = MOST_CHARACTERS): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > most) return '';
  }
  return text;
}
