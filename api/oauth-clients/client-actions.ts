import type { ClientPatch } from '../../domain/oauth-clients/administration.ts';
import type { ClientView, ClientWithSecret, NewClient } from '../../domain/oauth-clients/client-schema.ts';
import type { Page } from '../../domain/page.ts';
import type { Caller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';

/** A client that a caller may administer. */
export interface FoundClient {
  readonly client: ClientView;
}

/**
 * What can be done with OAuth clients over HTTP (api/oauth-clients/client-routes.ts). The identity provider does it; the
 * builder asks the provider, for the clients of the caller's org. What is done to one client needs what `find` found, so
 * it cannot be done to a client that is not the caller's. `Q` is what a list is asked for.
 */
export interface ClientActions<C extends Caller, Q, F extends FoundClient> {
  list(query: Q, context: RouteContext<C>): Promise<Page<ClientView>>;
  /** @throws CLIENT_EXISTS, ORG_NOT_FOUND, INVALID_REDIRECT_URI; FORBIDDEN for fields the caller may not set */
  create(wanted: NewClient, context: RouteContext<C>): Promise<ClientWithSecret>;
  /** @throws CLIENT_NOT_FOUND also for a client that is not the caller's to know of */
  find(clientId: string, context: RouteContext<C>): Promise<F>;
  /** @throws INVALID_REDIRECT_URI; FORBIDDEN for fields the caller may not change */
  change(found: F, patch: ClientPatch, context: RouteContext<C>): Promise<ClientView>;
  remove(found: F, context: RouteContext<C>): Promise<void>;
  /** @throws INVALID_REDIRECT_URI */
  addRedirectUri(found: F, redirectUri: string, context: RouteContext<C>): Promise<ClientView>;
  /** @throws NOT_FOUND */
  removeRedirectUri(found: F, redirectUri: string, context: RouteContext<C>): Promise<ClientView>;
  /** A second secret; the first stays. @throws CLIENT_SECRETS_FULL; CONFLICT for a public client */
  addSecret(found: F, context: RouteContext<C>): Promise<ClientWithSecret>;
  /** @throws NOT_FOUND */
  removeSecret(found: F, secretId: string, context: RouteContext<C>): Promise<ClientView>;
  /** One new secret in the place of all. @throws CONFLICT for a public client */
  regenerateSecret(found: F, context: RouteContext<C>): Promise<ClientWithSecret>;
}
