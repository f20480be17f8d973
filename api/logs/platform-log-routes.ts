import type { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { MAX_LOG_LINES } from '../../domain/logs/output-line.ts';
import { passesLevel } from '../../domain/logs/parse-entry.ts';
import type {
  PlatformLogFile,
  PlatformLogInventory,
  PlatformLogLine,
  PlatformLogReader,
  PlatformLogTarget,
} from '../../domain/logs/platform-log.ts';
import {
  platformLogsSchema,
  platformTailQuerySchema,
  platformTailSchema,
} from '../../domain/logs/platform-log-schema.ts';
import { sizeLimitText } from '../../domain/logs/rotation.ts';
import { formatPlace } from '../../domain/logs/service-log.ts';
import { PLATFORM } from '../http/allowed-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { isLetIn, sendEvents, wantsEvents } from '../http/event-stream.ts';
import { followLog, resumePlace } from './follow-log.ts';
import { createLogFeeds } from './log-feed.ts';
import type { LogPlaces } from './log-places.ts';
import { platformLineLevel, platformLineView, sizeText } from './platform-log-lines.ts';

export interface PlatformLogRoutesDeps {
  readonly platformLogs: PlatformLogReader;
}

const EVENTS =
  'Server-sent events: `line` (data a line), `gap` (lines were removed before they were read). Begins with the last ' +
  'lines. Resume with Last-Event-ID, also after a rotation.';

/** The log inventory and tail of the platform's own programs (spec 2, "Platform logs"): for super admins and the platform. */
export function platformLogRoutes({ platformLogs }: PlatformLogRoutesDeps, places: LogPlaces): readonly Route[] {
  const watch = createLogFeeds({
    nameOf: ({ part, stream }: PlatformLogTarget) => `${part}/${stream}`,
    after: platformLogs.after,
    textOf: ({ text }: PlatformLogLine) => text,
    share: () => null,
  });
  return [
    defineRoute({
      method: 'get',
      path: '/platform/logs',
      summary: 'The log files of the platform’s programs',
      tag: 'platform',
      callers: PLATFORM,
      responses: { 200: { description: 'What is written, and what was rotated', schema: platformLogsSchema } },
      handle: async () => ({ status: 200, data: inventoryView(await platformLogs.inventory()) }),
    }),
    defineRoute({
      method: 'get',
      path: '/platform/logs/tail',
      summary: 'What a program of the platform printed, the last lines or followed live',
      description:
        'With `Accept: text/event-stream` the log is followed. About 2 KiB for each line that is asked for are looked at, ' +
        'from the end.',
      tag: 'platform',
      callers: PLATFORM,
      query: platformTailQuerySchema,
      responses: {
        200: {
          description: 'The last lines',
          schema: platformTailSchema,
          alternative: { contentType: 'text/event-stream', description: EVENTS },
        },
      },
      errors: ['NOT_FOUND'],
      handle: async ({ query }, { caller, authenticateAgain, headers, gone, stopping }) => {
        const target = await targetOf(platformLogs, query);
        const matches = (line: PlatformLogLine): boolean => passesLevel(platformLineLevel(line), query.level);
        const count = Math.min(query.lines, MAX_LOG_LINES);
        const last = () => platformLogs.last(target, { count, matches });
        if (wantsEvents(headers)) {
          const from = resumePlace(headers['last-event-id']);
          const givePlaceBack = places.take(caller, gone);
          return (response) => {
            const { feed, leave } = watch(target);
            const stillAllowed = () => isLetIn(authenticateAgain);
            return sendEvents(response, { gone, stopping, stillAllowed }, (events) =>
              followLog(events, { last, feed, matches, view: platformLineView, from }),
            ).finally(() => {
              leave();
              givePlaceBack();
            });
          };
        }
        const { lines, truncated, next } = await last();
        const views = lines.map(platformLineView);
        const data = { ...target, lines: views, returned: views.length, truncated, next: formatPlace(next) };
        return { status: 200, data };
      },
    }),
  ];
}

/** In whose log the builder's own lines are: its process, or the one of all services. */
const PARTS_OF_BUILDER = ['builder', 'api'] as const;

/** @throws NOT_FOUND for a part that has no log */
async function targetOf(
  logs: PlatformLogReader,
  { part, stream }: z.output<typeof platformTailQuerySchema>,
): Promise<PlatformLogTarget> {
  for (const name of part === undefined ? PARTS_OF_BUILDER : [part]) {
    if (await logs.has({ part: name, stream })) return { part: name, stream };
  }
  // Where somebody else keeps the logs of this installation, there is nothing to show, and nothing wrong.
  if (part === undefined) return { part: PARTS_OF_BUILDER[1], stream };
  throw new FairleadError('NOT_FOUND', `No part called ${part} has a log: GET /platform/logs lists those that do`);
}

function inventoryView({ files, rotated, rotation }: PlatformLogInventory): z.input<typeof platformLogsSchema> {
  const totalBytes = [...files, ...rotated].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    files: files.map((file) => ({ ...fileView(file), path: file.path })),
    rotated: rotated.map((file) => ({ ...fileView(file), name: file.path })),
    totalBytes,
    totalHuman: sizeText(totalBytes),
    rotation:
      rotation === null
        ? { enabled: null, maxSize: null, retain: null, compress: null }
        : { enabled: true, maxSize: sizeLimitText(rotation.fileBytes), retain: rotation.retain, compress: true },
  };
}

function fileView({ part, stream, sizeBytes, modifiedAt }: PlatformLogFile) {
  return { part, stream, sizeBytes, sizeHuman: sizeText(sizeBytes), modifiedAt: modifiedAt.toISOString() };
}
