import { z } from 'zod';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { ReleaseStore } from '../../domain/deploys/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { createRedactor } from '../../domain/logs/redact.ts';
import {
  formatPlace,
  type LogPlace,
  parsePlace,
  type ServiceLogLine,
  type ServiceLogReader,
  type ServiceLogTarget,
  type StoredLine,
} from '../../domain/logs/service-log.ts';
import {
  type ServiceLogLineView,
  serviceLogPageSchema,
  serviceLogQuerySchema,
} from '../../domain/logs/service-log-schema.ts';
import { requireService } from '../catalog/access.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { type EventStream, isLetIn, sendEvents, wantsEvents } from '../http/event-stream.ts';
import type { LogPlaces } from './log-places.ts';
import { createServiceLogFeeds, type ServiceLogWatch } from './service-log-feeds.ts';

export interface ServiceLogRoutesDeps {
  readonly services: ServiceStore;
  readonly releases: Pick<ReleaseStore, 'active'>;
  readonly serviceLogs: ServiceLogReader;
}

type Query = z.output<typeof serviceLogQuerySchema>;

/** Lines were redacted by their service's own values when they were written; what looks like a credential goes here again. */
const redact = createRedactor({ secrets: [] });

const EVENTS =
  'Server-sent events: `line` (data a line; its id is the line’s), `gap` (lines were removed before they were read). ' +
  'Begins with the last lines. Resume with Last-Event-ID.';

/** What services print (the paths are ours; the spec has logs of the platform alone). */
export function serviceLogRoutes(deps: ServiceLogRoutesDeps, places: LogPlaces): readonly Route[] {
  const watch = createServiceLogFeeds(deps);
  return [
    defineRoute({
      method: 'get',
      path: '/services/:id/logs',
      summary: 'What a service printed, the last lines or followed live',
      description:
        'With `Accept: text/event-stream` the log is followed, across deploys and restarts. About 2 KiB for each line that ' +
        'is asked for are looked at, from the end.',
      tag: 'services',
      callers: BUILDER_CALLERS.member,
      params: z.strictObject({ id: z.string().min(1).max(64).describe('Id or name of the service') }),
      query: serviceLogQuerySchema,
      responses: {
        200: {
          description: 'The last lines',
          schema: serviceLogPageSchema,
          alternative: { contentType: 'text/event-stream', description: EVENTS },
        },
      },
      errors: ['SERVICE_NOT_FOUND'],
      resource: ({ params }, { caller }) => requireService(deps.services, caller, params.id),
      handle: async ({ query, resource: service }, { caller, authenticateAgain, headers, gone, stopping }) => {
        const { environment } = query;
        const target = { serviceId: service.id, environment };
        if (wantsEvents(headers)) {
          const from = resumePlace(headers['last-event-id']);
          const givePlaceBack = places.take(caller, gone);
          return (response) => {
            const { feed, shared, leave } = watch(target);
            const stillAllowed = () =>
              isLetIn(async () => requireService(shared, await authenticateAgain(), service.id));
            return sendEvents(response, { gone, stopping, stillAllowed }, (events) =>
              follow({ logs: deps.serviceLogs, feed }, events, { target, query, from }),
            ).finally(() => {
              leave();
              givePlaceBack();
            });
          };
        }
        const { lines, truncated } = await deps.serviceLogs.last(target, wantedLines(query));
        const live = (await deps.releases.active(service.name, environment)) !== null;
        return { status: 200, data: { environment, items: lines.map(lineView), truncated, live } };
      },
    }),
  ];
}

interface FollowRequest {
  readonly target: ServiceLogTarget;
  readonly query: Query;
  /** Null begins with the last lines. */
  readonly from: LogPlace | null;
}

async function follow(
  { logs, feed }: { readonly logs: ServiceLogReader; readonly feed: ServiceLogWatch['feed'] },
  events: EventStream,
  { target, query, from }: FollowRequest,
): Promise<void> {
  const matches = matcher(query);
  const send = async (lines: readonly StoredLine[]): Promise<void> => {
    for (const stored of lines) {
      if (matches(stored.line)) await events.send('line', lineView(stored), formatPlace(stored.next));
    }
  };
  let place = from;
  if (place === null) {
    const { lines, next } = await logs.last(target, wantedLines(query));
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

function wantedLines(query: Query) {
  return { count: query.lines, matches: matcher(query) };
}

function matcher({ stream, contains }: Query): (line: ServiceLogLine) => boolean {
  return (line) =>
    (stream === 'all' || line.stream === stream) && (contains === undefined || redact(line.text).includes(contains));
}

function lineView({ line: { at, stream, release, text, dropped }, next }: StoredLine): ServiceLogLineView {
  const view = { id: formatPlace(next), at, stream, release, text: redact(text) };
  return dropped === undefined ? view : { ...view, dropped };
}

/** @throws VALIDATION_FAILED for a Last-Event-ID that this route never sent. */
function resumePlace(lastEventId: string | string[] | undefined): LogPlace | null {
  if (lastEventId === undefined || lastEventId === '') return null;
  const place = typeof lastEventId === 'string' ? parsePlace(lastEventId) : null;
  if (place !== null) return place;
  throw new FairleadError('VALIDATION_FAILED', 'Last-Event-ID: send the id of the last event received', {
    details: [{ field: 'Last-Event-ID', message: 'not a place in a log' }],
  });
}
