import { z } from 'zod';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { PAGE_RESPONSES } from '../../../http/pages/page-responses.ts';
import type { IdentityDeps } from '../../deps.ts';
import { codeSchema, csrfSchema } from '../form-fields.ts';
import { checkDevice, decideDevice, openDevice } from './device-page.ts';

const page = { tag: 'oauth', callers: 'public', replies: 'page', responses: PAGE_RESPONSES } as const;
const form = {
  ...page,
  method: 'post',
  bodyTypes: ['form'],
  errors: ['CSRF_REFUSED', 'UNAUTHORIZED'],
  rateLimit: { perMinute: 30 },
} as const;

/** Where the person of a device flow types its code (RFC 8628, 3.3). */
export function deviceRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      ...page,
      method: 'get',
      path: '/oauth/device',
      summary: 'Asks for the code that a device shows',
      query: z.looseObject({ user_code: codeSchema }),
      handle: async ({ query }, context) => openDevice(deps, context, query.user_code),
    }),
    defineRoute({
      ...form,
      path: '/oauth/device',
      summary: 'Shows who waits with this code, to be confirmed',
      body: z.strictObject({ csrf: csrfSchema, user_code: codeSchema }),
      handle: async ({ body }, context) => checkDevice(deps, context, body),
    }),
    defineRoute({
      ...form,
      path: '/oauth/device/decision',
      summary: 'Connects the device, or refuses it',
      body: z.strictObject({ csrf: csrfSchema, user_code: codeSchema, decision: z.enum(['allow', 'deny']) }),
      handle: async ({ body }, context) => decideDevice(deps, context, body),
    }),
  ];
}
