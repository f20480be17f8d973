import { decideClientPatch } from '../../domain/oauth-clients/administration.ts';
import { refusedInCreation } from '../../domain/oauth-clients/creation.ts';
import type { Caller } from '../http/caller.ts';
import { administratorOf, refuseFields } from './administrator.ts';
import type { BuilderClientsDeps } from './builder-deps.ts';
import { listOwnedClients, requireOwnedClient, requireProvider } from './client-access.ts';
import type { ClientActions } from './client-actions.ts';
import { requireFound } from './require-client.ts';
import { forgetCredential, rotateSecret } from './service-credential.ts';

/** What a page of an org's clients is asked for. */
export interface BuilderListQuery {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/**
 * The builder decides whose client it is and what its owner may change, and asks the identity provider to do it. Every
 * method @throws UNAVAILABLE where no provider is configured.
 */
export function builderActions(deps: BuilderClientsDeps): ClientActions<Caller, BuilderListQuery> {
  const owned = (caller: Caller, clientId: string) => requireOwnedClient(deps, caller, clientId);
  const actor = (caller: Caller) => ({ actor: caller.name });
  return {
    list: ({ cursor = null, limit }, { caller }) => listOwnedClients(deps, caller, { cursor, limit }),
    create: (wanted, { caller }) => {
      refuseFields(refusedInCreation(wanted, administratorOf(caller), caller.org));
      return requireProvider(deps).create({ ...wanted, orgSlug: wanted.orgSlug ?? caller.org }, actor(caller));
    },
    find: async (clientId, { caller }) => (await owned(caller, clientId)).client,
    change: async (clientId, patch, { caller }) => {
      const { client } = await owned(caller, clientId);
      const { changes, fields, refused } = decideClientPatch(client, patch, administratorOf(caller));
      refuseFields(refused);
      if (fields.length === 0) return client;
      return await requireProvider(deps).update(clientId, changes, actor(caller));
    },
    remove: async (clientId, { caller }) => {
      const found = await owned(caller, clientId);
      const removed = await requireProvider(deps).remove(clientId, actor(caller));
      await forgetCredential(deps, found);
      requireFound(removed ? found : null, clientId);
    },
    addRedirectUri: async (clientId, redirectUri, { caller }) => {
      await owned(caller, clientId);
      return await requireProvider(deps).addRedirectUri(clientId, redirectUri, actor(caller));
    },
    removeRedirectUri: async (clientId, redirectUri, { caller }) => {
      await owned(caller, clientId);
      return await requireProvider(deps).removeRedirectUri(clientId, redirectUri, actor(caller));
    },
    ...secretActions(deps),
  };
}

function secretActions(
  deps: BuilderClientsDeps,
): Pick<ClientActions<Caller, BuilderListQuery>, 'addSecret' | 'removeSecret' | 'regenerateSecret'> {
  return {
    addSecret: async (clientId, { caller }) => {
      const owned = await requireOwnedClient(deps, caller, clientId);
      return rotateSecret(deps, owned, () => requireProvider(deps).addSecret(clientId, { actor: caller.name }));
    },
    removeSecret: async (clientId, secretId, { caller }) => {
      await requireOwnedClient(deps, caller, clientId);
      return await requireProvider(deps).removeSecret(clientId, secretId, { actor: caller.name });
    },
    regenerateSecret: async (clientId, { caller }) => {
      const owned = await requireOwnedClient(deps, caller, clientId);
      return rotateSecret(deps, owned, () => requireProvider(deps).regenerateSecret(clientId, { actor: caller.name }));
    },
  };
}
