import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import { errorEnvelopeSchema } from '../../api/http/envelope.ts';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { type ServiceName, serviceRow } from '../../domain/services.ts';
import type { Session } from '../session/sessions.ts';
import type { Platform, PlatformEvent, PlatformRequest, PlatformService, Query } from './platform.ts';

/** Where each service is, for those that are known. */
export type PlatformUrls = Readonly<Partial<Record<ServiceName, string>>>;

export interface HttpPlatformDeps {
  readonly urls: PlatformUrls;
  readonly fetch?: typeof fetch;
  /** Shortened in tests. */
  readonly answerMs?: number;
}

/** Pages wait no longer for any part of theirs. */
const ANSWER_MS = 10_000;
/** 500 lines of a log are of 16 KiB each at most, which JSON may double. */
const MAX_REPLY_BYTES = 24 * 1024 * 1024;

const dataSchema = z.object({ success: z.literal(true), data: z.unknown() });

interface Call extends PlatformRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Calls the services over HTTP with the token of the session, and with nothing else. */
export function createHttpPlatform(deps: HttpPlatformDeps): (session: Pick<Session, 'token'>) => Platform {
  const { answerMs = ANSWER_MS } = deps;
  return (session) => {
    const call = async <T>(service: PlatformService, path: string, reply: z.ZodType<T>, more: Omit<Call, 'signal'>) => {
      const signal = AbortSignal.timeout(more.waitMs ?? answerMs);
      const response = await open(deps, session, service, path, { ...more, signal });
      const data = dataSchema.safeParse(parseJson(await readText(service, response)));
      const parsed = data.success ? reply.safeParse(data.data.data) : data;
      if (parsed.success) return parsed.data as T;
      throw unreadable(service, parsed.error);
    };
    return {
      get: (service, path, reply, query = {}) => call(service, path, reply, { method: 'GET', query }),
      send: (service, method, path, reply, request = {}) => call(service, path, reply, { ...request, method }),
      follow: (service, path, options) => follow(deps, session, service, path, { ...options, answerMs }),
    };
  };
}

/** A successful answer; a token that was refused is renewed once. @throws what the service says */
async function open(
  deps: HttpPlatformDeps,
  session: Pick<Session, 'token'>,
  service: PlatformService,
  path: string,
  request: Call,
): Promise<Response> {
  const token = await session.token();
  const first = await send(deps, service, path, request, token);
  if (first.ok) return first;
  const renewable = first.status === 401;
  if (renewable) await first.body?.cancel();
  const response = renewable ? await send(deps, service, path, request, await session.token(token)) : first;
  if (response.ok) return response;
  throw await refusal(service, response);
}

async function send(
  { urls, fetch: fetchIt = fetch }: HttpPlatformDeps,
  service: PlatformService,
  path: string,
  { method, query = {}, body, headers = {}, signal }: Call,
  token: string,
): Promise<Response> {
  const base = urls[service];
  if (base === undefined) throw new FairleadError('UNAVAILABLE', `${named(service)} is not part of this installation`);
  try {
    return await fetchIt(base + path + queryText(query), {
      method,
      // A token must not follow a redirect to another host.
      redirect: 'error',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
  } catch (cause) {
    const message = `${named(service)} does not answer`;
    throw new FairleadError('UNAVAILABLE', message, { cause, retryable: true });
  }
}

function queryText(query: Query): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? '' : `?${given}`;
}

async function readText(service: PlatformService, response: Response): Promise<string> {
  if (response.body === null) return '';
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  try {
    for await (const chunk of response.body) {
      bytes += chunk.byteLength;
      if (bytes > MAX_REPLY_BYTES) throw new RangeError('the reply is too long');
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (cause) {
    throw unreadable(service, cause);
  }
}

/** The service's own error, as far as it is one that we know. */
async function refusal(service: PlatformService, response: Response): Promise<FairleadError> {
  const envelope = errorEnvelopeSchema.safeParse(parseJson(await readText(service, response)));
  if (envelope.success) {
    const { code, message, details } = envelope.data.error;
    return new FairleadError(code, message, { ...(details === undefined ? {} : { details }) });
  }
  if (response.status === 401) return new FairleadError('UNAUTHORIZED', 'Your session has ended: sign in again');
  return unreadable(service, new Error(`status ${response.status}`));
}

function unreadable(service: PlatformService, cause: unknown): FairleadError {
  return new FairleadError('UNAVAILABLE', `${named(service)} gave a reply that the console cannot read`, { cause });
}

/** Such as `The audit ledger`. */
function named(service: PlatformService): string {
  return `The ${serviceRow(service).title}`;
}

async function* follow(
  deps: HttpPlatformDeps,
  session: Pick<Session, 'token'>,
  service: PlatformService,
  path: string,
  options: Parameters<Platform['follow']>[2] & { readonly answerMs: number },
): AsyncGenerator<PlatformEvent> {
  const { query = {}, lastEventId, signal, answerMs } = options;
  const waiting = new AbortController();
  const timer = setTimeout(() => waiting.abort(new Error('no answer')), answerMs);
  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  const both = AbortSignal.any([signal, waiting.signal]);
  const response = await open(deps, session, service, path, { method: 'GET', query, headers, signal: both }).finally(
    () => clearTimeout(timer),
  );
  const events: PlatformEvent[] = [];
  const parser = createParser({
    maxBufferSize: MAX_REPLY_BYTES,
    onEvent: ({ id, event, data }) => void events.push({ id, event: event ?? 'message', data }),
  });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      yield* events.splice(0);
    }
  } catch (cause) {
    if (signal.aborted) return;
    throw new FairleadError('UNAVAILABLE', `${named(service)} stopped answering`, { cause, retryable: true });
  }
}
