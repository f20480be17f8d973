import type { z } from 'zod';
import type { embedTokensSchema, embedUserSchema } from '../../../domain/identity/embed-schema.ts';
import { networkOf } from '../../../domain/identity/lockout.ts';
import type { GrantOrigin } from '../../../domain/identity/login.ts';
import type { LoginMethod, UserRecord } from '../../../domain/identity/user.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { noteClient } from '../login/note-device.ts';
import { resolveAudience } from '../oauth/resolve-audience.ts';
import { issueTokens } from '../tokens/issue-tokens.ts';
import type { EmbedCaller } from './embed-client.ts';

export interface EmbedLogin {
  readonly user: UserRecord;
  readonly origin: GrantOrigin;
  readonly methods: readonly LoginMethod[];
  readonly scopes: readonly string[];
  /** Of the person; null when the server did not tell. */
  readonly address: string | null;
}

/**
 * Tokens for somebody who has just proved who they are, for the client and nobody else. A person who has come themself
 * waits for a first password no more.
 */
export async function embedTokens(
  deps: IdentityDeps,
  context: RouteContext,
  { client, server, askedAt }: EmbedCaller,
  login: EmbedLogin,
): Promise<z.input<typeof embedTokensSchema>> {
  const { user, origin, methods, scopes } = login;
  const address = login.address ?? context.address;
  const reply = await issueTokens(deps, {
    user,
    client,
    issuedAt: askedAt,
    origin,
    sessionId: null,
    scopes,
    audience: await resolveAudience(deps, client, []),
    methods,
    authenticatedAt: deps.now(),
    address,
    userAgent: context.userAgent,
    requestId: context.requestId,
  });
  if (user.onboardingPending !== null) await deps.users.clearOnboarding(user.id);
  const newDevice = await noteClient(deps, user, client.clientId, address);
  await audit(
    deps,
    { requestId: context.requestId, address },
    {
      type: 'user.logged_in',
      actor: user.id,
      subject: user.id,
      orgSlug: user.primaryOrg,
      data: { clientId: client.clientId, origin, methods, newDevice },
    },
  );
  const { refresh_token, ...rest } = reply;
  return { ...rest, ...(server && refresh_token !== undefined ? { refresh_token } : {}), user: embedUser(user) };
}

export function embedUser(user: UserRecord): z.input<typeof embedUserSchema> {
  const { id: identityId, email, emailVerified, firstName, lastName, primaryOrg: orgSlug } = user;
  return { identityId, email, emailVerified, firstName, lastName, orgSlug };
}

/**
 * Where the person is, as far as that is known: what a page's request comes from, or what the client's server says. A
 * server is counted under its own name, so what it says about addresses can only cost its own people.
 */
export function personAddress(
  { client, server }: EmbedCaller,
  context: RouteContext,
  told: string | undefined,
): { readonly address: string | null; readonly limitKey: string | null } {
  if (!server) return { address: context.address, limitKey: context.address };
  if (told === undefined) return { address: null, limitKey: null };
  return { address: told, limitKey: `${client.clientId} ${networkOf(told)}` };
}
