import { FairleadError } from '../../domain/errors.ts';
import { formatPlace, type LogPlace, parsePlace } from '../../domain/logs/service-log.ts';
import type { EventStream } from '../http/event-stream.ts';
import type { LiveFeed } from '../http/live-feed.ts';

/** Whether lines behind the place that was read from are not kept any more. */
export interface FollowedLog {
  readonly lost: boolean;
}

interface FollowRequest<L> {
  /** The last lines, and where to go on; asked for when the client does not say where it is. */
  readonly last: () => Promise<{ readonly lines: readonly L[]; readonly next: LogPlace }>;
  readonly feed: LiveFeed<LogPlace, L, FollowedLog>;
  readonly matches: (line: L) => boolean;
  readonly view: (line: L) => unknown;
  /** Null begins with the last lines. */
  readonly from: LogPlace | null;
}

/**
 * Follows a log as server-sent events: `line` (its id is the place behind it, `<file>:<offset>`, by which a client resumes,
 * also after rotations), and `gap` where lines were removed before they were read. Ends when the caller would be refused.
 */
export async function followLog<L extends { readonly next: LogPlace }>(
  events: EventStream,
  { last, feed, matches, view, from }: FollowRequest<L>,
): Promise<void> {
  const send = async (lines: readonly L[]): Promise<void> => {
    for (const line of lines) if (matches(line)) await events.send('line', view(line), formatPlace(line.next));
  };
  let place = from;
  if (place === null) {
    const { lines, next } = await last();
    await send(lines);
    place = next;
  }
  while (!events.ended.aborted) {
    if (await events.refused()) return;
    const { lines, next, state } = await feed.next(place, events.ended);
    if (state.lost) await events.send('gap', {});
    await send(lines);
    place = next;
    await events.keepAlive();
  }
}

/** Where a client goes on; null when it does not say. @throws VALIDATION_FAILED for a Last-Event-ID that was never sent */
export function resumePlace(lastEventId: string | string[] | undefined): LogPlace | null {
  if (lastEventId === undefined || lastEventId === '') return null;
  const place = typeof lastEventId === 'string' ? parsePlace(lastEventId) : null;
  if (place !== null) return place;
  throw new FairleadError('VALIDATION_FAILED', 'Last-Event-ID: send the id of the last event received', {
    details: [{ field: 'Last-Event-ID', message: 'not a place in a log' }],
  });
}
