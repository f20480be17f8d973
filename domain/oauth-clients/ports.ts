/**
 * The module `oauth-clients`: clients of the identity provider, made by hand or at a deploy.
 *
 * Keying: a client has a client id; the client of a deployed service is `<service>-<environment>`.
 * Retries: a deploy step may repeat its request. It only adds redirect URIs and scopes, so a repeat adds nothing.
 * Compensation: none. A failed deploy keeps the client. When the provider no longer has it, the next deploy creates it
 * again, with a new secret.
 */

import type { WhiteLabel } from '../branding/white-label.ts';
import type { Page, PageRequest } from '../page.ts';
import type { PassportConfig } from '../passport-config.ts';
import type { SignInRule } from '../sign-in-rule.ts';
import type { AddedBy, EntryList, TakenOut } from './added-by.ts';
import type { ClientRecord, ClientSecret } from './client.ts';

type Fixed =
  | 'clientId'
  | 'orgSlug'
  | 'clientType'
  | 'secrets'
  | 'signIn'
  | 'signInEpoch'
  | 'addedEntries'
  | 'sharingRevision'
  | 'createdBy'
  | 'createdAt'
  | 'updatedAt';

/**
 * What may change on a client; identity, ownership, secrets and the rule of sign-in have methods of their own. Of `passportConfig` and
 * `whiteLabel` the given parts are set and the others kept, so that a flag someone switches off meanwhile stays off.
 */
export type ClientChanges = Partial<
  Omit<ClientRecord, Fixed | 'passportConfig' | 'whiteLabel'> & {
    readonly passportConfig: Partial<PassportConfig>;
    readonly whiteLabel: Partial<WhiteLabel>;
  }
>;

/** Lists that grow without losing what others put in at the same time. */
export type ClientAdditions = Partial<Pick<ClientRecord, 'redirectUris' | 'allowedScopes' | 'allowedGrantTypes'>>;

export interface ClientStore {
  /** @throws CLIENT_EXISTS */
  insert(client: ClientRecord): Promise<void>;
  find(clientId: string): Promise<ClientRecord | null>;
  /** Ordered by id; `orgSlug` and `clientIds` keep to clients of that org or of those ids; null lists all. */
  list(filter: ClientFilter, page: PageRequest): Promise<Page<ClientRecord>>;
  /**
   * The client as it is afterwards; null when there is none. Sets `changes` and adds `additions` in one write. A redirect
   * URI in `additions` is the deploy's from then on, also where it was there by hand.
   */
  update(clientId: string, changes: ClientChanges, additions?: ClientAdditions): Promise<ClientRecord | null>;
  /** Sets who may sign in. False when a newer epoch set it, or there is no such client: then nothing changes. */
  setSignIn(clientId: string, rule: { readonly signIn: SignInRule; readonly epoch: number }): Promise<boolean>;
  /**
   * Adds an entry to a list, with who added it. One that is there stays as it is; where an org that shares the service had
   * added it, it passes to an owner or super admin who adds it as well. False, and nothing is written, when there is no
   * such client or it does not take the addition (`takesAddition`).
   */
  addEntry(clientId: string, entry: ListEntry, by: AddedBy): Promise<boolean>;
  removeEntry(clientId: string, entry: ListEntry): Promise<ClientRecord | null>;
  /** Adds a secret while fewer than `MAX_LIVE_SECRETS` are there. @throws CLIENT_SECRETS_FULL, CLIENT_NOT_FOUND; CONFLICT as `takesAddition` */
  addSecret(clientId: string, secret: ClientSecret): Promise<void>;
  /** Puts `secret` in the place of all there are. @throws CLIENT_NOT_FOUND; CONFLICT as `takesAddition` */
  replaceSecrets(clientId: string, secret: ClientSecret): Promise<void>;
  /**
   * Puts a secret that was made for a key in the place of `replaces`, which was made for the same one; with null adds it,
   * where there is no room in the place of all. False, and nothing is written, when another secret of that key is there
   * by now, when that one is gone, or when there is no such client.
   */
  putSecretOfKey(
    clientId: string,
    secret: ClientSecret & { readonly issuedFor: string },
    replaces: string | null,
  ): Promise<boolean>;
  removeSecret(clientId: string, secretId: string): Promise<boolean>;
  /** Writes at most once a minute per secret. */
  touchSecret(clientId: string, secretId: string, at: Date): Promise<void>;
  remove(clientId: string): Promise<boolean>;
  /** From now on no addition counts that was let by an older revision. The client afterwards; null when there is none. */
  raiseSharingRevision(clientId: string, revision: number): Promise<ClientRecord | null>;
  /** Removes secrets and entries that an org added which was taken out (`wasAddedBy`). Idempotent. */
  removeAdditions(clientId: string, taken: TakenOut): Promise<void>;
  /** The clients that have a scope `{service}:…`. */
  withScopesOf(service: string): Promise<readonly ClientRecord[]>;
  /** Takes scopes from a client. Idempotent; what it does not have, or no client, is no error. */
  removeScopes(clientId: string, scopes: readonly string[]): Promise<void>;
}

export interface ListEntry {
  readonly list: EntryList;
  readonly value: string;
}

export interface ClientFilter {
  readonly orgSlug: string | null;
  /** Listed besides the org's own: clients of services the org owns or is authorized for. */
  readonly clientIds: readonly string[];
}
