import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { limitAtOnce } from '../../domain/limit-at-once.ts';
import { componentOf, readHistories } from '../../domain/status-page/read-status.ts';
import type { StatusComponent } from '../../domain/status-page/status-view.ts';
import { defineRoute, type Reply, type Route } from '../http/define-route.ts';
import { createSharedAnswers } from '../http/shared-answers.ts';
import { badge } from './badge.ts';
import type { StatusPageDeps } from './deps.ts';
import { PUBLIC_QUERY } from './public-query.ts';

/** How old each may be that is given once more: 90 days change slowly, and are many reads. */
const MAX_AGE_MS = { state: 5_000, uptime: 30_000 } as const;
type Kind = keyof typeof MAX_AGE_MS;
const KINDS: readonly Kind[] = ['state', 'uptime'];
const MOST_BYTES = 4 * 1024 * 1024;
/** Whoever asks for the badges of all monitors waits, and the database does not. */
const HISTORIES_AT_ONCE = 4;

/** Badges of the monitors that status pages show, for READMEs and other pages. */
export function badgeRoutes(deps: StatusPageDeps): readonly Route[] {
  const limit = limitAtOnce(HISTORIES_AT_ONCE);
  const draw = async (kind: Kind, id: string): Promise<string> => {
    const component = await findPublic(deps, id);
    if (kind === 'state') return badge(component, null);
    const histories = await limit(() => readHistories(deps, [id], deps.now()));
    return badge(component, histories.get(id) ?? null);
  };
  return KINDS.map((kind) => badgeRoute(deps, kind, (id) => draw(kind, id)));
}

function badgeRoute(
  { monotonicMs }: Pick<StatusPageDeps, 'monotonicMs'>,
  kind: Kind,
  draw: (id: string) => Promise<string>,
): Route {
  const images = createSharedAnswers<string>({
    ...{ maxAgeMs: MAX_AGE_MS[kind], mostBytes: MOST_BYTES, bytesOf: ({ length }) => 2 * length, monotonicMs },
    errorMaxAgeMs: (error) =>
      error instanceof FairleadError && error.code === 'MONITOR_NOT_FOUND' ? MAX_AGE_MS.state : 0,
  });
  return defineRoute({
    method: 'get',
    path: `/badges/:id/${kind}.svg`,
    summary: kind === 'state' ? 'A badge with the state of a monitor' : 'A badge with the uptime of a monitor',
    tag: 'status page',
    callers: 'public',
    params: z.strictObject({ id: z.string().min(1).max(100) }),
    query: PUBLIC_QUERY,
    polled: true,
    responses: {
      200: {
        description: 'The badge',
        schema: z.string(),
        alternative: { contentType: 'image/svg+xml', description: 'An SVG image' },
      },
    },
    errors: ['MONITOR_NOT_FOUND'],
    handle: async ({ params: { id } }) => sendBadge(await images(id, () => draw(id))),
  });
}

function sendBadge(image: string): Reply {
  return async (response) => {
    response.status(200).set({
      'Content-Type': 'image/svg+xml; charset=utf-8',
      'Cache-Control': 'public, max-age=30',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'Content-Security-Policy': "default-src 'none'",
    });
    response.send(image);
  };
}

/** @throws MONITOR_NOT_FOUND also for one that no status page shows */
async function findPublic({ monitors, conditions, now }: StatusPageDeps, id: string): Promise<StatusComponent> {
  const monitor = await monitors.find(id);
  if (monitor === null || !monitor.isPublic || monitor.archivedAt !== null) {
    throw new FairleadError('MONITOR_NOT_FOUND', 'No status page shows a monitor of this id');
  }
  const condition = (await conditions.find([id])).get(id) ?? null;
  return componentOf({ monitor, condition }, now());
}
