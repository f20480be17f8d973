import { z } from 'zod';
import { acceptedReplySchema } from '../../domain/git-hooks/git-hook-schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { networkOf } from '../http/rate-limit.ts';
import { type AcceptOptions, createAcceptDelivery } from './accept-delivery.ts';
import type { GitHooksDeps } from './deps.ts';

/** Where git hosts deliver pushes. */
export function hookRoute(deps: GitHooksDeps, options: AcceptOptions = {}): Route {
  const accept = createAcceptDelivery(deps, options);
  return defineRoute({
    method: 'post',
    path: '/hooks/git/:connectionId',
    summary: 'A delivery of a git host: something was pushed',
    description:
      'Proved genuine by the signature or token that the connection names, over the bytes as they are sent. A delivery only has its branch or tag looked at: what deploys is the head that git answers then. An unknown connection and a wrong signature are answered alike, and counted alike: after too many of them in a minute the answer is 429.',
    tag: 'git',
    callers: 'public',
    limitedByHandler: true,
    params: z.strictObject({ connectionId: z.string().min(1).max(64) }),
    streamBody: {
      contentTypes: ['application/json', 'application/x-www-form-urlencoded'],
      description: 'The delivery, of at most 25 MiB',
    },
    responses: { 202: { description: 'It is kept and will be looked at', schema: acceptedReplySchema } },
    errors: ['UNAUTHORIZED', 'PAYLOAD_TOO_LARGE'],
    handle: async ({ params }, { address, headers, stream }) => ({
      status: 202,
      data: await accept(params.connectionId, { address: networkOf(address), headers, stream }),
    }),
  });
}
