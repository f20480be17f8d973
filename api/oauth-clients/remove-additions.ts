import { additionsOf } from '../../domain/oauth-clients/added-by.ts';
import type { RemoveAdditionsReply, RemovedAdditions } from '../../domain/oauth-clients/client-schema.ts';
import { refusePlatformClient } from '../../domain/oauth-clients/platform-client.ts';
import type { AdministratorCaller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { auditClient } from './client-audit.ts';
import { voidingTokensOfClient } from './void-client-tokens.ts';

/**
 * Removes what an org added to a client that was taken out of those that share its service: secrets, redirect URIs and
 * what else `ENTRY_LISTS` names. Access tokens of the client are void when there was something; who has a live secret gets
 * new ones. First the client is told of the change, so that nothing is added after what is read here.
 * Idempotent: the event is recorded before what it tells of, under an id that a repetition uses again.
 * @throws FORBIDDEN for a client of the platform
 */
export async function removeAdditions(
  deps: IdentityDeps,
  context: RouteContext<AdministratorCaller>,
  { clientId, ...taken }: RemovedAdditions,
): Promise<RemoveAdditionsReply> {
  refusePlatformClient(clientId);
  const client = await deps.clients.raiseSharingRevision(clientId, taken.revision);
  if (client === null) return { secretIds: [], entries: [] };
  const { secretIds, entries } = additionsOf(client, taken);
  const reply = { secretIds: [...secretIds], entries: entries.map(({ list, value }) => ({ list, value })) };
  if (secretIds.length === 0 && entries.length === 0) return reply;
  const type = 'oauth.client_additions_removed';
  const lists = Object.groupBy(entries, ({ list }) => list);
  const removed = Object.entries(lists).map(([list, of]) => [`${list}_removed`, of.map(({ value }) => value)] as const);
  const data = { reason: 'org no longer authorized', org: taken.org, secretIds, ...Object.fromEntries(removed) };
  const id = `${type}/${clientId}/${client.createdAt.getTime()}/${taken.org}/${taken.revision}`;
  await auditClient(deps, context, { id, type, client, data });
  await voidingTokensOfClient(deps, clientId, () => deps.clients.removeAdditions(clientId, taken));
  return reply;
}
