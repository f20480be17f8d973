import type { AddedScopes, AddScopesReply } from '../../domain/oauth-clients/client-schema.ts';
import type { AdministratorCaller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { auditClient } from './client-audit.ts';
import { requireChangeable, requireFound } from './require-client.ts';

/**
 * Adds scopes to a client one by one: what somebody takes away or adds meanwhile stays so. Idempotent.
 * @throws CLIENT_NOT_FOUND; FORBIDDEN for a client of the platform
 */
export async function addScopes(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  { clientId, scopes }: AddedScopes,
): Promise<AddScopesReply> {
  const client = await requireChangeable(deps.clients, clientId);
  const added = [...new Set(scopes)].filter((scope) => !client.allowedScopes.includes(scope));
  if (added.length === 0) return { added };
  await auditClient(deps, context, { type: 'oauth.client_updated', client, data: { allowedScopes_added: added } });
  requireFound(await deps.clients.update(clientId, {}, { allowedScopes: added }), clientId);
  return { added };
}
