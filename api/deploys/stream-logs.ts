import type { ServerResponse } from 'node:http';
import type { Clock } from '../../domain/clock.ts';
import type { LogLineView } from '../../domain/deploys/schema.ts';
import type { LogLine } from '../../domain/logs/log-line.ts';
import { type EventStream, type EventStreamRequest, type EventStreamTimes, sendEvents } from '../http/event-stream.ts';
import type { BuildWatch, FollowedBuild } from './build-feeds.ts';
import { stepViews, waitingView } from './build-view.ts';

export interface StreamRequest extends Omit<EventStreamRequest, 'times'> {
  readonly feed: BuildWatch['feed'];
  /** The last line the client has. */
  readonly after: number;
  /** The clock that running steps are measured by; null sends no steps. */
  readonly stepsAt: Clock | null;
  /** Shortened in tests. */
  readonly times?: Partial<EventStreamTimes>;
}

/**
 * Follows a build's log as server-sent events: `line` (its `id` is the sequence number, so a client resumes with
 * Last-Event-ID), `status` at first and whenever it changes, and `end` with the final status; with `stepsAt` also `steps` at
 * first and whenever one changes. Lines are read only as fast as the fastest client takes them. Ends early, without `end`, as {@link sendEvents} says and when the caller's credential
 * is over (asked every second): the client then resumes, if it still may.
 */
export function streamLogs(response: ServerResponse, { times, ...request }: StreamRequest): Promise<void> {
  const options = times === undefined ? request : { ...request, times };
  return sendEvents(response, options, (events) => follow(events, request));
}

type Followed = Pick<StreamRequest, 'feed' | 'after' | 'stepsAt'>;

async function follow(events: EventStream, { feed, after, stepsAt }: Followed): Promise<void> {
  const tell = createTeller(events, stepsAt);
  let position = after;
  while (!events.ended.aborted) {
    if (await events.refused()) return;
    const { lines, next, state: build, order } = await feed.next(position, events.ended);
    if (build === null) return;
    await tell(build, order);
    for (const line of lines) await events.send('line', lineView(line), line.seq);
    position = next;
    if (lines.length > 0) continue;
    if (build.isComplete) {
      await events.send('status', build.status);
      await events.send('end', build.status);
      return;
    }
    await events.keepAlive();
  }
}

/** Tells what has changed of a build since it was told last. */
function createTeller(events: EventStream, stepsAt: Clock | null) {
  let status: string | null = null;
  let progress: FollowedBuild['progress'] | null = null;
  let known = 0;
  return async (build: FollowedBuild, order: number): Promise<void> => {
    // A page that was read for others can be older than what this client was told.
    if (order <= known) return;
    known = order;
    if (build.status.status !== status && !build.isTerminal) await events.send('status', build.status);
    status = build.status.status;
    if (stepsAt !== null && build.progress !== progress) await events.send('steps', progressEvent(build, stepsAt()));
    progress = build.progress;
  };
}

function progressEvent({ progress: { steps, waiting, blockedGrants } }: FollowedBuild, now: Date) {
  return { steps: stepViews(steps, now), waiting: waitingView(waiting), blockedGrants };
}

export function lineView({ seq, time, step, level, text }: LogLine): LogLineView {
  return { seq, time: time.toISOString(), step, level, text };
}
