import { setTimeout as sleep } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { ApiClient } from './api-client.ts';
import { pathOf } from './api-client.ts';
import { CliFailure } from './cli-failure.ts';
import { type LogLineReply, logLineReply } from './replies.ts';

export type BuildEvent =
  | { readonly type: 'line'; readonly line: LogLineReply }
  /** The build's status changed: its record is worth reading again. */
  | { readonly type: 'status' }
  | { readonly type: 'lost'; readonly reason: string }
  | { readonly type: 'back' }
  | { readonly type: 'end' };

export interface FollowOptions {
  /** Lines up to this sequence number are known already. */
  readonly after?: number;
  readonly signal: AbortSignal;
  /** How long an API that went away is waited for. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 60_000;
/** The API sends a heartbeat every 15 s: three missed ones mean that nobody is there. */
const SILENCE_MS = 45_000;

/**
 * What happens in a build, until it ends. A lost connection is taken up again where it was left (`Last-Event-ID`), for
 * as long as the API is not away longer than the patience.
 *
 * @throws CliFailure when the build cannot be followed (exit `notFound`, `auth`) or the API stays away (`unreachable`)
 */
export async function* followBuild(
  api: ApiClient,
  buildId: string,
  { after = 0, signal, patienceMs = PATIENCE_MS }: FollowOptions,
): AsyncGenerator<BuildEvent> {
  const cursor: Cursor = { seq: after };
  let lostAt: number | null = null;
  for (let attempt = 0; ; attempt++) {
    let reason = 'it was closed';
    try {
      for await (const event of readConnection(api, buildId, cursor, signal)) {
        if (lostAt !== null) yield { type: 'back' };
        lostAt = null;
        attempt = 0;
        if (event !== null) yield event;
        if (event?.type === 'end') return;
      }
    } catch (error) {
      reason = passingReason(error, signal);
    }
    if (lostAt === null) {
      lostAt = Date.now();
      yield { type: 'lost', reason };
    }
    if (Date.now() - lostAt > patienceMs) throw gone(api, buildId, patienceMs);
    await sleep(Math.min(2_000, 200 * 2 ** Math.min(attempt, 4)), undefined, { signal });
  }
}

interface Cursor {
  /** The last line that was handed out. */
  seq: number;
}

/** The events of one connection; null when it has opened. */
async function* readConnection(
  api: ApiClient,
  buildId: string,
  cursor: Cursor,
  signal: AbortSignal,
): AsyncGenerator<BuildEvent | null> {
  const silence = new AbortController();
  const watch = setTimeout(() => silence.abort(new Error('no data arrived')), SILENCE_MS);
  const either = AbortSignal.any([signal, silence.signal]);
  try {
    for await (const message of openStream(api, buildId, cursor.seq, either, () => watch.refresh())) {
      if (message === null) yield null;
      const event = message === null ? null : toEvent(message);
      if (event === null) continue;
      if (event.type === 'line') {
        // A server that answers a resume generously must not show a line twice.
        if (event.line.seq <= cursor.seq) continue;
        cursor.seq = event.line.seq;
      }
      yield event;
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

interface StreamMessage {
  readonly event: string | undefined;
  readonly data: string;
}

async function* openStream(
  api: ApiClient,
  buildId: string,
  after: number,
  signal: AbortSignal,
  onBytes: () => void,
): AsyncGenerator<StreamMessage | null> {
  const response = await api.open({
    method: 'GET',
    path: pathOf('builds', buildId, 'logs'),
    headers: { accept: 'text/event-stream', ...(after > 0 ? { 'last-event-id': String(after) } : {}) },
    signal,
  });
  if (response.body === null) return;
  // Opening counts as contact: a build may say nothing for a long time.
  yield null;
  const decoder = new TextDecoder();
  const text = new TransformStream<Uint8Array, string>({
    transform: (chunk, controller) => {
      onBytes();
      controller.enqueue(decoder.decode(chunk, { stream: true }));
    },
  });
  for await (const { event, data } of response.body.pipeThrough(text).pipeThrough(new EventSourceParserStream())) {
    yield { event, data };
  }
}

function toEvent({ event, data }: StreamMessage): BuildEvent | null {
  if (event === 'end') return { type: 'end' };
  if (event === 'status') return { type: 'status' };
  if (event !== 'line') return null;
  const line = logLineReply.safeParse(JSON.parse(data));
  return line.success ? { type: 'line', line: line.data } : null;
}

function gone(api: ApiClient, buildId: string, patienceMs: number): CliFailure {
  const seconds = Math.round(patienceMs / 1000);
  return new CliFailure('UNREACHABLE', `The builder API at ${api.base} has not answered for ${seconds} s.`, {
    exit: 'unreachable',
    remedy: `The build continues. Later: \`fairlead logs -f ${buildId}\``,
  });
}
