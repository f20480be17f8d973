import type { z } from 'zod';
import { whoamiSchema } from '../../domain/properties/schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { ANYONE_LET_IN, SITE_SCOPES } from './site-callers.ts';

/** The caller as the service sees it. */
export function whoamiRoute(): Route {
  return defineRoute({
    method: 'get',
    path: '/api/whoami',
    summary: 'Who calls, as the site registry sees it',
    tag: 'platform',
    ...ANYONE_LET_IN,
    responses: { 200: { description: 'The caller', schema: whoamiSchema } },
    handle: async (_input, { caller }) => {
      const view: z.infer<typeof whoamiSchema> =
        caller.kind === 'platform-admin'
          ? { kind: 'person', id: caller.userId, org: caller.org, scopes: [...SITE_SCOPES], actingUser: null }
          : {
              kind: 'service',
              id: caller.clientId,
              org: caller.org,
              scopes: SITE_SCOPES.filter((scope) => caller.scopes.includes(scope)),
              actingUser: caller.actingUser?.userId ?? null,
            };
      return { status: 200, data: view };
    },
  });
}
