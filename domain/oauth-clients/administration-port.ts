import type { Page, PageRequest } from '../page.ts';
import type { ClientPatch } from './administration.ts';
import type {
  AddedScopes,
  AddScopesReply,
  ClientView,
  ClientWithSecret,
  NewClient,
  ProvisionReply,
  ProvisionRequest,
  RemoveAdditionsReply,
  RemovedAdditions,
  RevokedScopes,
  SignInReply,
  SignInRequest,
} from './client-schema.ts';
import type { ClientFilter } from './ports.ts';

/** Header in which the builder names the person it asks for. Believed of the internal key alone. */
export const ACTING_FOR_HEADER = 'x-acting-for';

/** Headers with the org of that person, and with the revision of the list by which that org shares the service. */
export const ACTING_ORG_HEADER = 'x-acting-for-org';
export const SHARING_REVISION_HEADER = 'x-sharing-revision';

/**
 * For whom the builder asks: named in the identity provider's audit trail, and kept with what is added. It decides nothing
 * there but whether an addition still counts (`takesAddition`).
 */
export interface ActingFor {
  /** A user id, a client id, or `internal`. */
  readonly actor: string;
  /** Slug of the org for which they act; absent for the platform. */
  readonly org?: string;
  /** Of an org that shares the client's service: revision of the list by which it was let in. */
  readonly sharingRevision?: number;
}

/**
 * The identity provider's clients, as the builder works with them. Every method may fail with UNAVAILABLE (retryable)
 * when the provider cannot be reached or does not take the builder's key.
 */
export interface ClientAdministration {
  /**
   * Makes the client of a service and environment, or adds what it lacks. Idempotent but for `newSecret`.
   * @throws CLIENT_NOT_FOUND without `create`; CLIENT_EXISTS when the id is someone else's; INVALID_REDIRECT_URI
   */
  provision(request: ProvisionRequest, signal: AbortSignal): Promise<ProvisionReply>;
  /**
   * Sets who may sign in to a service; `changed` when that is another rule than before. Idempotent.
   * @throws CLIENT_NOT_FOUND; CLIENT_EXISTS as `provision`; CONFLICT for an epoch that is over
   */
  setSignIn(request: SignInRequest, signal: AbortSignal): Promise<SignInReply>;
  find(clientId: string): Promise<ClientView | null>;
  /** Ordered by id; as `ClientStore.list`. */
  list(filter: ClientFilter, page: PageRequest): Promise<Page<ClientView>>;
  /** @throws CLIENT_EXISTS, ORG_NOT_FOUND, INVALID_REDIRECT_URI, FORBIDDEN, VALIDATION_FAILED */
  create(client: NewClient & { readonly orgSlug: string }, by: ActingFor): Promise<ClientWithSecret>;
  /** @throws CLIENT_NOT_FOUND, INVALID_REDIRECT_URI, FORBIDDEN; CONFLICT as `takesAddition` */
  update(clientId: string, patch: ClientPatch, by: ActingFor): Promise<ClientView>;
  /**
   * Adds scopes to those that a client has by then, whatever others add or take away meanwhile. Idempotent.
   * @throws CLIENT_NOT_FOUND, FORBIDDEN for a client of the platform
   */
  addScopes(of: AddedScopes, by: ActingFor, signal: AbortSignal): Promise<AddScopesReply>;
  /**
   * Takes the scopes `{service}:…` from all clients, as of a service that is removed: who takes its name later must not find
   * them granted; or from one, whose grant ended. Idempotent. @returns ids of the clients that had one @throws FORBIDDEN for a name of the platform's scopes
   */
  revokeScopes(of: RevokedScopes, by: ActingFor): Promise<readonly string[]>;
  /**
   * Removes what an org added to a client that was taken out of those that share its service, and voids the access tokens
   * of the client when there was something. What it is adding at this moment is refused. Idempotent; no client is no error.
   */
  removeAdditions(of: RemovedAdditions, by: ActingFor): Promise<RemoveAdditionsReply>;
  /** The tokens of the client end with it. False when there was none. @throws FORBIDDEN for a client of the platform */
  remove(clientId: string, by: ActingFor): Promise<boolean>;
  /** Idempotent. @throws CLIENT_NOT_FOUND, INVALID_REDIRECT_URI; CONFLICT as `takesAddition` */
  addRedirectUri(clientId: string, redirectUri: string, by: ActingFor): Promise<ClientView>;
  /** @throws CLIENT_NOT_FOUND; NOT_FOUND when the client has no such URI */
  removeRedirectUri(clientId: string, redirectUri: string, by: ActingFor): Promise<ClientView>;
  /** One new secret in the place of all. @throws CLIENT_NOT_FOUND, CONFLICT for a public client */
  regenerateSecret(clientId: string, by: ActingFor): Promise<ClientWithSecret>;
  /** A second secret; the first stays. @throws CLIENT_SECRETS_FULL, CLIENT_NOT_FOUND, CONFLICT */
  addSecret(clientId: string, by: ActingFor): Promise<ClientWithSecret>;
  /** @throws CLIENT_NOT_FOUND; NOT_FOUND when the client has no such secret */
  removeSecret(clientId: string, secretId: string, by: ActingFor): Promise<ClientView>;
}
