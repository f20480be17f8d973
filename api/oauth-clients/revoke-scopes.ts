import { FairleadError } from '../../domain/errors.ts';
import type { RevokedScopes } from '../../domain/oauth-clients/client-schema.ts';
import { beginsPlatformScopes } from '../../domain/oauth-clients/platform-scopes.ts';
import type { AdministratorCaller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import { idBeforeChange } from '../identity/audit.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { auditClient } from './client-audit.ts';
import { voidingTokensOfClient } from './void-client-tokens.ts';

/**
 * Takes every scope of a service from all clients, or from one. Access tokens of these clients are void: services get new
 * ones without the scope, and people by refreshing, since their logins go on.
 * Idempotent: each event is recorded before what it tells of, under an id that a repetition uses again.
 * @returns ids of the clients that had one
 * @throws FORBIDDEN for a name by which the platform's own scopes begin
 */
export async function revokeScopes(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  { service, clientId: only, reason = 'service removed' }: RevokedScopes,
): Promise<readonly string[]> {
  if (beginsPlatformScopes(service)) {
    throw new FairleadError('FORBIDDEN', `Scopes that begin with ${service}: are the platform's, and of no service`);
  }
  const holders = await deps.clients.withScopesOf(service);
  const clients = holders.filter(({ clientId }) => only === undefined || clientId === only);
  const type = 'oauth.client_updated';
  for (const client of clients) {
    const removed = client.allowedScopes.filter((scope) => scope.startsWith(`${service}:`));
    const data = { reason, allowedScopes_removed: removed };
    await auditClient(deps, context, { type, client, data, id: `${idBeforeChange(type, client)}/${service}` });
    await voidingTokensOfClient(deps, client.clientId, () => deps.clients.removeScopes(client.clientId, removed));
  }
  return clients.map(({ clientId }) => clientId);
}
