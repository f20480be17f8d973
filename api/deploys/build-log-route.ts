import { z } from 'zod';
import type { Clock } from '../../domain/clock.ts';
import type { BuildRecord } from '../../domain/deploys/build.ts';
import type { BuildLog } from '../../domain/deploys/build-store.ts';
import { logPageSchema } from '../../domain/deploys/schema.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { LogLine } from '../../domain/logs/log-line.ts';
import { containsText } from '../../domain/logs/search-text.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { isLetIn, wantsEvents } from '../http/event-stream.ts';
import type { LogPlaces } from '../logs/log-places.ts';
import { type BuildAccessDeps, requireBuild } from './build-access.ts';
import { createBuildFeeds } from './build-feeds.ts';
import { lineView, streamLogs } from './stream-logs.ts';

export interface BuildLogRouteDeps extends BuildAccessDeps {
  readonly log: Pick<BuildLog, 'read' | 'readBefore' | 'hasMore'>;
  readonly now: Clock;
}

const sequence = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

const logsQuery = z.strictObject({
  after: sequence.optional().describe('Sequence number of the last line already seen'),
  before: sequence.optional().describe('In the place of `after`: the last lines before that sequence number'),
  contains: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Only lines with this text, in upper or lower case. A page ends after 10,000 lines without it'),
  limit: z.coerce.number().int().min(1).max(2_000).default(500),
  steps: z
    .enum(['true', 'false'])
    .default('false')
    .describe('Of server-sent events: also `steps` at first, whenever one changes, and when it waits for grants'),
});

type LogsQuery = z.output<typeof logsQuery>;

const EVENTS =
  'Server-sent events: `line` (id is its sequence number; data a line), `status` and `end` (data a status), with ' +
  '`steps=true` also `steps` (data the steps of the build and what it waits for). Resume with Last-Event-ID or `after`.';

/** The log of a build (spec 2, "Services and builds"). */
export function buildLogRoute(deps: BuildLogRouteDeps, places: LogPlaces): Route {
  const watch = createBuildFeeds(deps);
  return defineRoute({
    method: 'get',
    path: '/builds/:id/logs',
    summary: 'The log of a build, as pages or followed live',
    description: 'With `Accept: text/event-stream` the log is followed until the build ends.',
    tag: 'builds',
    callers: BUILDER_CALLERS.viewer,
    params: z.strictObject({ id: z.string().min(1).max(64).describe('Id of the build') }),
    query: logsQuery,
    responses: {
      200: {
        description: 'A page of lines',
        schema: logPageSchema,
        alternative: { contentType: 'text/event-stream', description: EVENTS },
      },
    },
    errors: ['BUILD_NOT_FOUND'],
    resource: ({ params }, { caller }) => requireBuild(deps, caller, params.id),
    handle: async ({ query, resource: build }, { caller, authenticateAgain, headers, gone, stopping }) => {
      if (!wantsEvents(headers)) return { status: 200, data: await logPage(deps.log, build, query) };
      const after = resumePoint(headers['last-event-id']) ?? query.after ?? 0;
      refuseTogether(query, ['before', 'contains'], 'a log is followed from its beginning or after a line');
      const givePlaceBack = places.take(caller, gone);
      const stepsAt = query.steps === 'true' ? deps.now : null;
      return (response) => {
        const { feed, shared, leave } = watch(build);
        const stillAllowed = () => isLetIn(async () => requireBuild(shared, await authenticateAgain(), build.id));
        return streamLogs(response, { feed, after, stepsAt, gone, stopping, stillAllowed }).finally(() => {
          leave();
          givePlaceBack();
        });
      };
    },
  });
}

async function logPage(log: BuildLogRouteDeps['log'], build: BuildRecord, query: LogsQuery) {
  const { after = 0, before, contains, limit } = query;
  if (before !== undefined)
    refuseTogether(query, ['after', 'contains'], 'a page ends before a line, or begins after one');
  const { lines, seen } =
    before !== undefined
      ? pageOf(await log.readBefore(build.id, before, limit), after)
      : contains === undefined
        ? pageOf(await log.read(build.id, after, limit), after)
        : await searchLog(log, build.id, { after, contains, limit });
  const complete = isTerminal(build.status) && !(await log.hasMore(build.id, seen));
  return { items: lines.map(lineView), nextAfter: seen, status: build.status, complete };
}

interface LinesSeen {
  readonly lines: readonly LogLine[];
  /** Number of the last line that was looked at. */
  readonly seen: number;
}

const pageOf = (lines: readonly LogLine[], after: number): LinesSeen => ({ lines, seen: lines.at(-1)?.seq ?? after });

/** Lines that one read of a search takes, and those that a page of it looks at. */
const SEARCHED_AT_ONCE = 2_000;
const MOST_SEARCHED = 10_000;

async function searchLog(
  log: Pick<BuildLog, 'read'>,
  buildId: string,
  { after, contains, limit }: { readonly after: number; readonly contains: string; readonly limit: number },
): Promise<LinesSeen> {
  const found: LogLine[] = [];
  let seen = after;
  for (let searched = 0; searched < MOST_SEARCHED; searched += SEARCHED_AT_ONCE) {
    const lines = await log.read(buildId, seen, SEARCHED_AT_ONCE);
    for (const line of lines) {
      seen = line.seq;
      if (containsText(line.text, contains)) found.push(line);
      if (found.length === limit) return { lines: found, seen };
    }
    if (lines.length < SEARCHED_AT_ONCE) break;
  }
  return { lines: found, seen };
}

/** @throws VALIDATION_FAILED */
function refuseTogether(query: LogsQuery, names: readonly ('after' | 'before' | 'contains')[], why: string): void {
  const field = names.find((name) => query[name] !== undefined);
  if (field === undefined) return;
  const message = `${field}: ${why}`;
  throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field, message }] });
}

/** @throws VALIDATION_FAILED for a Last-Event-ID that this route never sent. */
function resumePoint(lastEventId: string | string[] | undefined): number | null {
  if (lastEventId === undefined || lastEventId === '') return null;
  const result = sequence.safeParse(lastEventId);
  if (result.success) return result.data;
  throw new FairleadError('VALIDATION_FAILED', 'Last-Event-ID: send the id of the last event received', {
    details: [{ field: 'Last-Event-ID', message: 'not a sequence number' }],
  });
}
