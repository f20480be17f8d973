import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { componentOf, readHistories } from '../../domain/status-page/read-status.ts';
import type { StatusComponent } from '../../domain/status-page/status-view.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { badge } from './badge.ts';
import type { StatusPageDeps } from './deps.ts';

const KINDS = ['state', 'uptime'] as const;

/** Badges of the monitors that status pages show, for READMEs and other pages. */
export function badgeRoutes(deps: StatusPageDeps): readonly Route[] {
  return KINDS.map((kind) =>
    defineRoute({
      method: 'get',
      path: `/badges/:id/${kind}.svg`,
      summary: kind === 'state' ? 'A badge with the state of a monitor' : 'A badge with the uptime of a monitor',
      tag: 'status page',
      callers: 'public',
      params: z.strictObject({ id: z.string().min(1).max(100) }),
      polled: true,
      responses: {
        200: {
          description: 'The badge',
          schema: z.string(),
          alternative: { contentType: 'image/svg+xml', description: 'An SVG image' },
        },
      },
      errors: ['MONITOR_NOT_FOUND'],
      handle: async ({ params: { id } }) => {
        const component = await findPublic(deps, id);
        const histories = kind === 'uptime' ? await readHistories(deps, [id], deps.now()) : null;
        const image = badge(component, histories?.get(id) ?? null);
        return async (response) => {
          response.status(200).set({
            'Content-Type': 'image/svg+xml; charset=utf-8',
            'Cache-Control': 'public, max-age=30',
            'Cross-Origin-Resource-Policy': 'cross-origin',
            'Content-Security-Policy': "default-src 'none'",
          });
          response.send(image);
        };
      },
    }),
  );
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
