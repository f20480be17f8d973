import { setTimeout as sleep } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { ApiClient, ApiRequest } from './api-client.ts';
import { CliFailure } from './cli-failure.ts';

/** What a stream of server-sent events brings, and what becomes of its connection. */
export type StreamEvent =
  | { readonly type: 'message'; readonly event: string | undefined; readonly data: string }
  | { readonly type: 'lost'; readonly reason: string }
  | { readonly type: 'back' };

export interface FollowRequest extends Pick<ApiRequest, 'path' | 'query'> {
  /** The id of the last event that is known already; null begins where the API begins. */
  readonly lastId: string | null;
  readonly signal: AbortSignal;
  /** How long an API that went away is waited for; a minute by default. */
  readonly patienceMs?: number | undefined;
  /** What to do later, for the failure of an API that stays away. */
  readonly remedy: string;
}

const PATIENCE_MS = 60_000;
/** The API sends a heartbeat every 15 s: three missed ones mean that nobody is there. */
const SILENCE_MS = 45_000;

/**
 * Follows a stream for as long as the caller takes from it. A lost connection is taken up again where it was left
 * (`Last-Event-ID`), unless the API is away longer than the patience.
 *
 * @throws CliFailure when there is nothing to follow (exit `notFound`, `auth`) or the API stays away (`unreachable`)
 */
export async function* followEvents(api: ApiClient, request: FollowRequest): AsyncGenerator<StreamEvent> {
  const { signal, patienceMs = PATIENCE_MS } = request;
  const cursor: Cursor = { lastId: request.lastId };
  let lostAt: number | null = null;
  for (let attempt = 0; ; attempt++) {
    let reason = 'it was closed';
    try {
      for await (const message of readConnection(api, request, cursor)) {
        if (lostAt !== null) yield { type: 'back' };
        lostAt = null;
        attempt = 0;
        if (message !== null) yield message;
      }
    } catch (error) {
      reason = passingReason(error, signal);
    }
    if (lostAt === null) {
      lostAt = performance.now();
      yield { type: 'lost', reason };
    }
    if (performance.now() - lostAt > patienceMs) throw gone(api, request, patienceMs);
    await sleep(Math.min(2_000, 200 * 2 ** Math.min(attempt, 4)), undefined, { signal });
  }
}

interface Cursor {
  /** Of the last event that was handed out. */
  lastId: string | null;
}

/** The events of one connection; null when it has opened, which counts as contact: there may be nothing to say for long. */
async function* readConnection(
  api: ApiClient,
  { path, query, signal }: FollowRequest,
  cursor: Cursor,
): AsyncGenerator<StreamEvent | null> {
  const silence = new AbortController();
  const watch = setTimeout(() => silence.abort(new Error('no data arrived')), SILENCE_MS);
  try {
    const response = await api.open({
      method: 'GET',
      path,
      ...(query === undefined ? {} : { query }),
      headers: { accept: 'text/event-stream', ...(cursor.lastId === null ? {} : { 'last-event-id': cursor.lastId }) },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (response.body === null) return;
    yield null;
    const decoder = new TextDecoder();
    const text = new TransformStream<Uint8Array, string>({
      transform: (chunk, controller) => {
        watch.refresh();
        controller.enqueue(decoder.decode(chunk, { stream: true }));
      },
    });
    for await (const { id, event, data } of response.body
      .pipeThrough(text)
      .pipeThrough(new EventSourceParserStream())) {
      yield { type: 'message', event, data };
      cursor.lastId = id ?? cursor.lastId;
    }
  } finally {
    clearTimeout(watch);
    silence.abort();
  }
}

/** Why a connection was lost, when another try may help; otherwise the error is thrown again. */
function passingReason(error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted();
  if (error instanceof CliFailure && error.exit !== 'unreachable' && error.exit !== 'failed') throw error;
  return error instanceof Error ? error.message : String(error);
}

function gone(api: ApiClient, { remedy }: FollowRequest, patienceMs: number): CliFailure {
  const seconds = Math.round(patienceMs / 1000);
  const message = `The builder API at ${api.base} has not answered for ${seconds} s.`;
  return new CliFailure('UNREACHABLE', message, { exit: 'unreachable', remedy });
}
