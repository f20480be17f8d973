import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BuildRecord } from '../../domain/deploys/build.ts';
import type { BuildLog, BuildStore } from '../../domain/deploys/ports.ts';
import type { LogLineView } from '../../domain/deploys/schema.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import type { LogLine } from '../../domain/logs/log-line.ts';
import { type EventStream, type EventStreamRequest, type EventStreamTimes, sendEvents } from '../http/event-stream.ts';

/** Reading a log as it grows. */
export type FollowableLog = Pick<BuildLog, 'read' | 'hasMore'>;

export interface StreamDeps {
  readonly log: FollowableLog;
  readonly builds: Pick<BuildStore, 'find'>;
  /** Shortened in tests. */
  readonly pollMs?: number;
  readonly times?: Partial<EventStreamTimes>;
}

export interface StreamRequest extends Omit<EventStreamRequest, 'times'> {
  readonly buildId: string;
  /** The last line the client has. */
  readonly after: number;
}

const PAGE = 500;

/**
 * Follows a build's log as server-sent events: `line` (its `id` is the sequence number, so a client resumes with
 * Last-Event-ID), `status` at first and whenever it changes, and `end` with the final status. Lines are read only as fast
 * as the client takes them. Ends early, without `end`, as {@link sendEvents} says and when the caller's credential is over
 * (asked every second): the client then resumes, if it still may.
 */
export function streamLogs(deps: StreamDeps, response: ServerResponse, request: StreamRequest): Promise<void> {
  const { times } = deps;
  const options = times === undefined ? request : { ...request, times };
  return sendEvents(response, options, (events) => follow(deps, events, request));
}

async function follow(deps: StreamDeps, events: EventStream, { buildId, after }: StreamRequest): Promise<void> {
  let position = after;
  let shown: string | null = null;
  while (!events.ended.aborted) {
    if (await events.refused()) return;
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
    await sleep(deps.pollMs ?? 250, undefined, { signal: events.ended });
  }
}

export function lineView({ seq, time, step, level, text }: LogLine): LogLineView {
  return { seq, time: time.toISOString(), step, level, text };
}

function statusEvent({ status, reason, failure, url }: BuildRecord) {
  return { status, reason, failure, url };
}
