import { z } from 'zod';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { clientIdOf } from '../../domain/oauth-clients/ownership.ts';
import { requireService } from '../catalog/access.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { BuilderClientsDeps } from './builder-deps.ts';

/** Cookie from which a service reads the access token (spec 1, A 3). */
const ACCESS_TOKEN_COOKIE = 'bd-token';

/** What it takes to make a browser session of a service (spec 1, F 5 and "Other builder routes in this area"). */
export function sessionInfoRoute(deps: BuilderClientsDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/services/:service/session-info',
    summary: 'The OAuth client of a service, and the cookie its sessions live in',
    tag: 'oauth clients',
    callers: BUILDER_CALLERS.viewer,
    params: z.strictObject({ service: z.string().min(1).max(64).describe('Id or name of the service') }),
    query: z.strictObject({ env: environmentSchema.default('prod') }),
    responses: {
      200: {
        description: 'Client and cookie',
        schema: z.object({
          service: z.string(),
          environment: environmentSchema,
          clientId: z.string().describe('Audience of the token'),
          cookieName: z.string(),
          url: z.string().describe('Public address of the service'),
          domain: z.string().describe('Host the cookie is scoped to'),
        }),
      },
    },
    errors: ['SERVICE_NOT_FOUND'],
    resource: ({ params }, { caller }) => requireService(deps.services, caller, params.service),
    handle: async ({ query: { env: environment }, resource: service }) => {
      const url = deps.publicUrl(service.name, environment);
      const clientId = clientIdOf(service, environment);
      const domain = new URL(url).hostname;
      const data = { service: service.name, environment, clientId, cookieName: ACCESS_TOKEN_COOKIE, url, domain };
      return { status: 200, data };
    },
  });
}
