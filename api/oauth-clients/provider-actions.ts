import { clientView } from '../../domain/oauth-clients/client-schema.ts';
import type { AdministratorCaller } from '../http/caller.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { addRedirectUri, changeClient, deleteClient, removeRedirectUri } from './change-client.ts';
import type { ClientActions, FoundClient } from './client-actions.ts';
import { addSecret, regenerateSecret, removeSecret } from './client-secrets.ts';
import { createClient } from './create-client.ts';
import { requireClient } from './require-client.ts';

/** What a page of the provider's clients is asked for. */
export interface ProviderListQuery {
  readonly orgSlug?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** The identity provider keeps the clients itself, and leaves all of them to whoever administers it. */
export function providerActions(
  deps: IdentityDeps,
): ClientActions<AdministratorCaller, ProviderListQuery, FoundClient> {
  const { clients } = deps;
  return {
    list: async ({ orgSlug = null, cursor = null, limit }) => {
      const { items, nextCursor } = await clients.list({ orgSlug, clientIds: [] }, { cursor, limit });
      return { items: items.map(clientView), nextCursor };
    },
    create: (wanted, context) =>
      createClient(deps, context, { ...wanted, orgSlug: wanted.orgSlug ?? context.caller.org }),
    find: async (clientId) => ({ client: clientView(await requireClient(clients, clientId)) }),
    change: async ({ client: { clientId } }, patch, context) =>
      clientView(await changeClient(deps, context, { clientId, patch, by: 'super_admin' })),
    remove: ({ client }, context) => deleteClient(deps, context, client.clientId),
    addRedirectUri: async ({ client }, uri, context) =>
      clientView(await addRedirectUri(deps, context, client.clientId, uri)),
    removeRedirectUri: async ({ client }, uri, context) =>
      clientView(await removeRedirectUri(deps, context, client.clientId, uri)),
    addSecret: ({ client }, context) => addSecret(deps, context, client.clientId),
    removeSecret: ({ client }, secretId, context) => removeSecret(deps, context, client.clientId, secretId),
    regenerateSecret: ({ client }, context) => regenerateSecret(deps, context, client.clientId),
  };
}
