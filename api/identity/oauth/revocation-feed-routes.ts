import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import { revocationFeedOf, revocationFeedSchema } from '../../../domain/identity/revocation-feed.ts';
import { type Authenticate, type Credentials, INTERNAL_KEY_HEADER } from '../../http/caller.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import type { IdentityDeps } from '../deps.ts';
import { authenticateHeaders } from './authenticate-client.ts';

const EPOCH = new Date(0);

/** Of one credential, which all processes of a service share: a hundred of them read twice a second. */
const PER_MINUTE = 12_000;

/** Reads of the whole denylist: once for each process that starts, or that did not read for long. */
const WHOLE_PER_MINUTE = 600;

/** A later `since` brings few entries; who polls asks for a minute. */
const RECENT_MS = 10 * 60_000;

/** Readers whom the database is asked for, of one address. */
const LOOK_UPS_PER_MINUTE = 600;

/** What a reader may show of themself. */
const CREDENTIALS = [INTERNAL_KEY_HEADER, 'authorization', 'x-client-id', 'x-client-secret'] as const;

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
      // Who cannot read it refuses every token: what others at the same address ask for must not keep it from them.
      namedRateLimit: {
        perMinute: PER_MINUTE,
        lookUpsPerMinute: LOOK_UPS_PER_MINUTE,
        costly: {
          perMinute: WHOLE_PER_MINUTE,
          is: ({ query: { since } }) => !isRecent(deps, since),
        },
        credentialOf: ({ headers }) => deps.tokens.hash(JSON.stringify(CREDENTIALS.map((name) => headers[name]))),
        nameOf: (request, authenticate) => readerOf(deps, request, authenticate),
      },
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

/** False for whatever is no time of the last minutes: it brings the whole denylist, or an error. */
function isRecent({ now }: Pick<IdentityDeps, 'now'>, since: unknown): boolean {
  return typeof since === 'string' && now().getTime() - Date.parse(since) < RECENT_MS;
}

/** Who reads the feed, by a good credential; null without one. No failure is counted here: the handler does. */
async function readerOf(deps: IdentityDeps, request: Credentials, authenticate: Authenticate): Promise<string | null> {
  try {
    if (request.headers[INTERNAL_KEY_HEADER] !== undefined) {
      return (await authenticate(request))?.kind === 'internal' ? 'internal' : null;
    }
    const { client } = await authenticateHeaders(deps, request.headers);
    return `client ${client.clientId}`;
  } catch (error) {
    if (error instanceof FairleadError && !error.retryable) return null;
    throw error;
  }
}
