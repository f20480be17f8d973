import { decideClientPatch } from '../../domain/oauth-clients/administration.ts';
import type { ActingFor } from '../../domain/oauth-clients/administration-port.ts';
import { refusedInCreation } from '../../domain/oauth-clients/creation.ts';
import type { Caller } from '../http/caller.ts';
import { administratorOf, refuseFields } from './administrator.ts';
import type { BuilderClientsDeps } from './builder-deps.ts';
import { addingFor, listOwnedClients, type OwnedClient, requireOwnedClient, requireProvider } from './client-access.ts';
import type { ClientActions } from './client-actions.ts';
import { requireFound } from './require-client.ts';
import { forgetCredential, rotateSecret } from './service-credential.ts';

/** What a page of an org's clients is asked for. */
export interface BuilderListQuery {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/**
 * The builder decides whose client it is and what its owner may change, and asks the identity provider to do it. A secret
 * that is made for a service's client is kept for the service. Every method @throws UNAVAILABLE where no provider is
 * configured.
 */
export function builderActions(deps: BuilderClientsDeps): ClientActions<Caller, BuilderListQuery, OwnedClient> {
  const provider = () => requireProvider(deps);
  const actor = ({ caller }: { readonly caller: Caller }) => ({ actor: caller.name });
  return {
    list: ({ cursor = null, limit }, { caller }) => listOwnedClients(deps, caller, { cursor, limit }),
    create: async (wanted, context) => {
      const { caller } = context;
      refuseFields(refusedInCreation(wanted, administratorOf(caller), caller.org));
      return await provider().create({ ...wanted, orgSlug: wanted.orgSlug ?? caller.org }, creatingFor(caller));
    },
    find: (clientId, { caller }) => requireOwnedClient(deps, caller, clientId),
    change: async (owned, patch, context) => {
      const { client } = owned;
      const { changes, fields, refused } = decideClientPatch(client, patch, administratorOf(context.caller));
      refuseFields(refused);
      return fields.length === 0
        ? client
        : await provider().update(client.clientId, changes, addingFor(context.caller, owned));
    },
    remove: async (owned, context) => {
      const { clientId } = owned.client;
      const removed = await provider().remove(clientId, actor(context));
      await forgetCredential(deps, owned);
      requireFound(removed ? owned : null, clientId);
    },
    addRedirectUri: (owned, uri, { caller }) =>
      provider().addRedirectUri(owned.client.clientId, uri, addingFor(caller, owned)),
    removeRedirectUri: ({ client }, uri, context) => provider().removeRedirectUri(client.clientId, uri, actor(context)),
    addSecret: (owned, { caller }) =>
      rotateSecret(deps, owned, addingFor(caller, owned), (by) => provider().addSecret(owned.client.clientId, by)),
    removeSecret: ({ client }, secretId, context) => provider().removeSecret(client.clientId, secretId, actor(context)),
    regenerateSecret: (owned, { caller }) =>
      rotateSecret(deps, owned, addingFor(caller, owned), (by) =>
        provider().regenerateSecret(owned.client.clientId, by),
      ),
  };
}

function creatingFor(caller: Caller): ActingFor {
  const { name: actor, org } = caller;
  return administratorOf(caller) === 'super_admin' ? { actor } : { actor, org };
}
