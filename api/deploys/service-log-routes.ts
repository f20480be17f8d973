import { z } from 'zod';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { ReleaseStore } from '../../domain/deploys/release-store.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { LastLines, ServiceLogReader, ServiceLogTarget, StoredLine } from '../../domain/logs/service-log.ts';
import { serviceLogPageSchema, serviceLogQuerySchema } from '../../domain/logs/service-log-schema.ts';
import { requireService } from '../catalog/access.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { isLetIn, sendEvents, wantsEvents } from '../http/event-stream.ts';
import { shareRead } from '../http/shared-read.ts';
import { followLog, resumePlace } from '../logs/follow-log.ts';
import { createLogFeeds } from '../logs/log-feed.ts';
import type { LogPlaces } from '../logs/log-places.ts';
import { environmentOf, serviceLineView, wantedServiceLines } from './service-log-lines.ts';

export interface ServiceLogRoutesDeps {
  readonly services: ServiceStore;
  readonly releases: Pick<ReleaseStore, 'active'>;
  readonly serviceLogs: ServiceLogReader;
}

const EVENTS =
  'Server-sent events: `line` (data a line; its id is the line’s), `gap` (lines were removed before they were read). ' +
  'Begins with the last lines. Resume with Last-Event-ID.';

/** What services print (the path is ours; the spec has logs of the platform alone). */
export function serviceLogRoutes(deps: ServiceLogRoutesDeps, places: LogPlaces): readonly Route[] {
  const watch = createLogFeeds({
    nameOf: ({ serviceId, environment }: ServiceLogTarget) => `${serviceId}/${environment}`,
    after: deps.serviceLogs.after,
    textOf: ({ line }) => line.text,
    // The record by which watchers are let in.
    share: ({ serviceId }) => ({ find: shareRead(() => deps.services.find(serviceId)) }),
  });
  return [
    defineRoute({
      method: 'get',
      path: '/services/:id/logs',
      summary: 'What a service printed, the last lines or followed live',
      description:
        'With `Accept: text/event-stream` the log is followed, across deploys and restarts. About 2 KiB for each line that ' +
        'is asked for are looked at, from the end, or from `until` backwards.',
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
        const environment = environmentOf(query);
        const target = { serviceId: service.id, environment };
        const wanted = wantedServiceLines(query);
        const last = () => deps.serviceLogs.last(target, wanted);
        if (wantsEvents(headers)) {
          refuseUntil(query.until);
          const from = resumePlace(headers['last-event-id']);
          const givePlaceBack = places.take(caller, gone);
          return (response) => {
            const { feed, shared, leave } = watch(target);
            const stillAllowed = () =>
              isLetIn(async () => requireService(shared, await authenticateAgain(), service.id));
            return sendEvents(response, { gone, stopping, stillAllowed }, (events) =>
              followLog(events, { last, feed, matches: isWanted(wanted), view: serviceLineView, from }),
            ).finally(() => {
              leave();
              givePlaceBack();
            });
          };
        }
        const { lines, truncated } = await last();
        const live = (await deps.releases.active(service.name, environment)) !== null;
        return { status: 200, data: { environment, items: lines.map(serviceLineView), truncated, live } };
      },
    }),
  ];
}

/** Which lines of those that come are wanted. */
function isWanted({ matches, since }: LastLines): (stored: StoredLine) => boolean {
  return ({ line }) => (since === undefined || line.at >= since) && matches(line);
}

/** @throws VALIDATION_FAILED */
function refuseUntil(until: string | undefined): void {
  if (until === undefined) return;
  const message = 'until: a log that is followed has no end';
  throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'until', message }] });
}
