import { z } from 'zod';
import { pageQueryShape } from '../../domain/page-schema.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import type { Route } from '../http/define-route.ts';
import { builderActions } from './builder-actions.ts';
import type { BuilderClientsDeps } from './builder-deps.ts';
import { clientRoutes } from './client-routes.ts';
import { sessionInfoRoute } from './session-info-route.ts';

/** OAuth clients through the builder (spec 1, "Builder routes for OAuth clients"): each caller sees their org's alone. */
export function builderClientRoutes(deps: BuilderClientsDeps): readonly Route[] {
  const { viewer: read, member: change, admin: remove } = BUILDER_CALLERS;
  return [
    ...clientRoutes({
      path: '/oauth/clients',
      callers: { read, change, remove },
      listQuery: z.strictObject(pageQueryShape),
      actions: builderActions(deps),
    }),
    sessionInfoRoute(deps),
  ];
}
