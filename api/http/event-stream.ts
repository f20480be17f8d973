import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { FairleadError } from '../../domain/errors.ts';

/** Server-sent events to one client. */
export interface EventStream {
  /** Aborts when the client goes or the server stops. */
  readonly ended: AbortSignal;
  /** Writes an event; waits until the client has taken enough. @throws when it goes, takes too long, or the server stops */
  send(event: string, data: unknown, id?: number | string): Promise<void>;
  /** Writes a comment when nothing was written for a while, so that no proxy closes. */
  keepAlive(): Promise<void>;
  /** Whether the caller would be refused by now; asked at most once a second. */
  refused(): Promise<boolean>;
}

export interface EventStreamTimes {
  readonly heartbeatMs: number;
  /** A client that takes nothing for so long is let go. */
  readonly slowReaderMs: number;
  readonly recheckMs: number;
}

export interface EventStreamRequest {
  readonly gone: AbortSignal;
  readonly stopping: AbortSignal;
  /** Whether the caller would still be let in. */
  readonly stillAllowed: () => Promise<boolean>;
  /** Shortened in tests. */
  readonly times?: Partial<EventStreamTimes>;
}

const TIMES: EventStreamTimes = { heartbeatMs: 15_000, slowReaderMs: 60_000, recheckMs: 1_000 };

/**
 * Answers with server-sent events that `follow` sends, until it returns. Ends early when the client goes, when it takes
 * nothing for a minute, or when the server stops: the client then resumes by the id of the last event that it has.
 */
export async function sendEvents(
  response: ServerResponse,
  { gone, stopping, stillAllowed, times }: EventStreamRequest,
  follow: (events: EventStream) => Promise<void>,
): Promise<void> {
  const { heartbeatMs, slowReaderMs, recheckMs } = { ...TIMES, ...times };
  const ended = AbortSignal.any([gone, stopping]);
  // Times of a clock that nobody sets back: a caller who lost access would go on reading until it has caught up.
  let lastWrite = performance.now();
  let checkedAt = performance.now();

  const write = async (text: string): Promise<void> => {
    lastWrite = performance.now();
    if (response.write(text)) return;
    const limit = AbortSignal.timeout(slowReaderMs);
    try {
      await once(response, 'drain', { signal: AbortSignal.any([ended, limit]) });
    } catch (error) {
      if (limit.aborted) response.destroy();
      throw error;
    }
  };
  const events: EventStream = {
    ended,
    send: (event, data, id) => {
      const idLine = id === undefined ? '' : `id: ${id}\n`;
      return write(`${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    async keepAlive() {
      if (performance.now() - lastWrite >= heartbeatMs) await write(': still here\n\n');
    },
    async refused() {
      if (performance.now() - checkedAt < recheckMs) return false;
      checkedAt = performance.now();
      return !(await stillAllowed());
    },
  };

  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  });
  try {
    await write('retry: 1000\n\n');
    await follow(events);
  } catch (error) {
    // Gone, too slow, or the server stops: nothing is wrong here, and the client resumes after its last event.
    if (!ended.aborted && !response.destroyed) throw error;
  }
  if (!response.destroyed) response.end();
}

/** Whether a request asks for events instead of a page. */
export function wantsEvents(headers: { readonly accept?: string | undefined }): boolean {
  return headers.accept?.includes('text/event-stream') === true;
}

/** False when the same request would be refused by now, for whatever reason; the client asks again and hears which. */
export async function isLetIn(admit: () => Promise<unknown>): Promise<boolean> {
  try {
    await admit();
    return true;
  } catch (error) {
    if (error instanceof FairleadError) return false;
    throw error;
  }
}
