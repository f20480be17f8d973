import type { ClientPatch } from '../../domain/oauth-clients/administration.ts';
import type { ClientView, ClientWithSecret, NewClient } from '../../domain/oauth-clients/client-schema.ts';
import type { Page } from '../../domain/page.ts';
import type { Caller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';

/**
 * What can be done with OAuth clients over HTTP (api/oauth-clients/client-routes.ts). The identity provider does it; the
 * builder asks the provider, for the clients of the caller's org. `Q` is what a list is asked for.
 *
 * Every method but `list` and `create` @throws CLIENT_NOT_FOUND also for a client that is not the caller's to know of.
 */
export interface ClientActions<C extends Caller, Q> {
  list(query: Q, context: RouteContext<C>): Promise<Page<ClientView>>;
  /** @throws CLIENT_EXISTS, ORG_NOT_FOUND, INVALID_REDIRECT_URI; FORBIDDEN for fields the caller may not set */
  create(wanted: NewClient, context: RouteContext<C>): Promise<ClientWithSecret>;
  find(clientId: string, context: RouteContext<C>): Promise<ClientView>;
  /** @throws INVALID_REDIRECT_URI; FORBIDDEN for fields the caller may not change */
  change(clientId: string, patch: ClientPatch, context: RouteContext<C>): Promise<ClientView>;
  remove(clientId: string, context: RouteContext<C>): Promise<void>;
  /** @throws INVALID_REDIRECT_URI */
  addRedirectUri(clientId: string, redirectUri: string, context: RouteContext<C>): Promise<ClientView>;
  /** @throws NOT_FOUND */
  removeRedirectUri(clientId: string, redirectUri: string, context: RouteContext<C>): Promise<ClientView>;
  /** A second secret; the first stays. @throws CLIENT_SECRETS_FULL; CONFLICT for a public client */
  addSecret(clientId: string, context: RouteContext<C>): Promise<ClientWithSecret>;
  /** @throws NOT_FOUND */
  removeSecret(clientId: string, secretId: string, context: RouteContext<C>): Promise<ClientView>;
  /** One new secret in the place of all. @throws CONFLICT for a public client */
  regenerateSecret(clientId: string, context: RouteContext<C>): Promise<ClientWithSecret>;
}
