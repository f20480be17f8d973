import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BuildRecord } from '../../domain/deploys/build.ts';
import type { BuildLog, BuildStore } from '../../domain/deploys/ports.ts';
import type { LogLineView } from '../../domain/deploys/schema.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import type { LogLine } from '../../domain/logs/log-line.ts';

/** Reading a log as it grows. */
export type FollowableLog = Pick<BuildLog, 'read' | 'hasMore'>;

export interface StreamDeps {
  readonly log: FollowableLog;
  readonly builds: Pick<BuildStore, 'find'>;
  /** Shortened in tests. */
  readonly pollMs?: number;
  readonly heartbeatMs?: number;
  readonly slowReaderMs?: number;
  readonly recheckMs?: number;
}

export interface StreamRequest {
  readonly buildId: string;
  /** The last line the client has. */
  readonly after: number;
  readonly gone: AbortSignal;
  readonly stopping: AbortSignal;
  /** Whether the caller would still be let in. */
  readonly stillAllowed: () => Promise<boolean>;
}

const PAGE = 500;

/**
 * Follows a build's log as server-sent events: `line` (its `id` is the sequence number, so a client resumes with
 * Last-Event-ID), `status` at first and whenever it changes, and `end` with the final status. A comment every 15 s keeps
 * proxies from closing. Lines are read only as fast as the client takes them; one that takes nothing for a minute is
 * let go. Ends early, without `end`, when the client goes, when its credential is over (asked every second), or when the
 * server stops: the client then resumes, if it still may.
 */
export async function streamLogs(deps: StreamDeps, response: ServerResponse, request: StreamRequest): Promise<void> {
  const ended = AbortSignal.any([request.gone, request.stopping]);
  const events = createEvents(response, ended, deps);
  await events.open();
  try {
    await follow(deps, events, request, ended);
  } catch (error) {
    // Gone, too slow, or the server stops: nothing is wrong here, and the client resumes after its last line.
    if (!ended.aborted && !response.destroyed) throw error;
  }
  if (!response.destroyed) response.end();
}

async function follow(
  deps: StreamDeps,
  events: Events,
  { buildId, after, stillAllowed }: StreamRequest,
  ended: AbortSignal,
): Promise<void> {
  let position = after;
  let shown: string | null = null;
  const refused = createRecheck(deps, stillAllowed);
  while (!ended.aborted) {
    if (await refused()) return;
    // The record first: lines written before it turned terminal are then in the read that follows.
    const build = await deps.builds.find(buildId);
    if (build === null) return;
    const lines = await deps.log.read(buildId, position, PAGE);
    if (build.status !== shown && !isTerminal(build.status)) await events.send('status', statusEvent(build));
    shown = build.status;
    for (const line of lines) await events.send('line', lineView(line), line.seq);
    position = lines.at(-1)?.seq ?? position;
    if (lines.length > 0) continue;
    if (isTerminal(build.status) && !(await deps.log.hasMore(buildId, position))) {
      await events.send('status', statusEvent(build));
      await events.send('end', statusEvent(build));
      return;
    }
    await events.keepAlive();
    await sleep(deps.pollMs ?? 250, undefined, { signal: ended });
  }
}

/** Asks at most once a second whether the caller may still read. */
function createRecheck({ recheckMs = 1_000 }: StreamDeps, stillAllowed: () => Promise<boolean>) {
  let checkedAt = Date.now();
  return async (): Promise<boolean> => {
    if (Date.now() - checkedAt < recheckMs) return false;
    checkedAt = Date.now();
    return !(await stillAllowed());
  };
}

interface Events {
  open(): Promise<void>;
  send(event: string, data: unknown, id?: number): Promise<void>;
  keepAlive(): Promise<void>;
}

function createEvents(response: ServerResponse, ended: AbortSignal, deps: StreamDeps): Events {
  const { heartbeatMs = 15_000, slowReaderMs = 60_000 } = deps;
  let lastWrite = Date.now();

  async function write(text: string): Promise<void> {
    lastWrite = Date.now();
    if (response.write(text)) return;
    const limit = AbortSignal.timeout(slowReaderMs);
    try {
      await once(response, 'drain', { signal: AbortSignal.any([ended, limit]) });
    } catch (error) {
      if (limit.aborted) response.destroy();
      throw error;
    }
  }

  return {
    async open() {
      response.writeHead(200, {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store',
        'X-Accel-Buffering': 'no',
      });
      await write('retry: 1000\n\n');
    },
    send: (event, data, id) => {
      const idLine = id === undefined ? '' : `id: ${id}\n`;
      return write(`${idLine}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    async keepAlive() {
      if (Date.now() - lastWrite >= heartbeatMs) await write(': still here\n\n');
    },
  };
}

export function lineView({ seq, time, step, level, text }: LogLine): LogLineView {
  return { seq, time: time.toISOString(), step, level, text };
}

function statusEvent({ status, reason, failure, url }: BuildRecord) {
  return { status, reason, failure, url };
}
