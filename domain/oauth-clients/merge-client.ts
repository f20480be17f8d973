import type { ClientRecord, GrantType } from './client.ts';
import type { ClientAdditions } from './ports.ts';

/** What a deploy derives from catalog and service for the service's client. */
export interface DerivedLists {
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly grantTypes: readonly GrantType[];
}

export interface MergedClient {
  /** What is to be added; lists that stay as they are, are left out. */
  readonly additions: ClientAdditions;
  /** What the client has besides the derived, by hand or by an earlier deploy, and keeps. */
  readonly preserved: DerivedLists;
}

type Lists = Pick<ClientRecord, 'redirectUris' | 'allowedScopes' | 'allowedGrantTypes' | 'addedEntries'>;

/**
 * Merges what a deploy derives into what a client has (spec 1, B 2 and 3): deploys only add. Nothing granted out of band
 * is lost, and dropping a dependency revokes no scope. A redirect URI that was there by hand is added all the same: it
 * becomes the deploy's, and stays when whoever added it is taken out.
 */
export function mergeClient(existing: Lists, derived: DerivedLists): MergedClient {
  const byHand = existing.addedEntries.filter(({ list }) => list === 'redirectUris').map(({ value }) => value);
  const redirectUris = missing(derived.redirectUris, missing(existing.redirectUris, byHand));
  const allowedScopes = missing(derived.scopes, existing.allowedScopes);
  const allowedGrantTypes = missing(derived.grantTypes, existing.allowedGrantTypes);
  return {
    additions: {
      ...(redirectUris.length > 0 ? { redirectUris } : {}),
      ...(allowedScopes.length > 0 ? { allowedScopes } : {}),
      ...(allowedGrantTypes.length > 0 ? { allowedGrantTypes } : {}),
    },
    preserved: {
      redirectUris: missing(existing.redirectUris, derived.redirectUris),
      scopes: missing(existing.allowedScopes, derived.scopes),
      grantTypes: missing(existing.allowedGrantTypes, derived.grantTypes),
    },
  };
}

/** What of `wanted` is not in `present`, each once. */
function missing<T>(wanted: readonly T[], present: readonly T[]): readonly T[] {
  const known = new Set(present);
  return [...new Set(wanted)].filter((item) => !known.has(item));
}
