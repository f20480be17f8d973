import { z } from 'zod';
import { revocationFeedOf, revocationFeedSchema } from '../../../domain/identity/revocation-feed.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { authenticateHeaders } from './authenticate-client.ts';

const EPOCH = new Date(0);

/** The denylist and the withdrawn keys, for verifiers that poll them (domain/identity/revocation-feed.ts). */
export function revocationFeedRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/api/oauth/revocations',
      summary: 'What was revoked, and which signing keys were withdrawn',
      description:
        'For verifiers: the internal key, or a client with a secret by Basic or by X-Client-Id and X-Client-Secret.',
      tag: 'oauth',
      callers: 'public',
      query: z.object({ since: z.iso.datetime().optional() }),
      replies: 'oauth',
      polled: true,
      responses: { 200: { description: 'Entries of the denylist', schema: revocationFeedSchema } },
      errors: ['OAUTH_INVALID_CLIENT'],
      handle: async ({ query }, context) => {
        if (context.caller?.kind !== 'internal') await authenticateHeaders(deps, context.headers, context.address);
        // Before the read: what is made while it runs comes with the next one.
        const asOf = deps.now();
        const since = query.since === undefined ? EPOCH : new Date(query.since);
        const [entries, withdrawn] = await Promise.all([
          deps.revocations.since(since),
          deps.signingKeys.readWithdrawn(),
        ]);
        const withdrawnKeys = withdrawn.map(({ id }) => id);
        return { status: 200, data: { ...revocationFeedOf(entries, asOf, deps.tokens.hash), withdrawnKeys } };
      },
    }),
  ];
}
