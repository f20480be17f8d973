/** Who added a secret, or an entry of a list, by hand. */
export interface AddedBy {
  /** Slug of the org that they acted for; null for the platform: a super admin, or its internal key. */
  readonly org: string | null;
  /** A user id, a client id, or `internal`. */
  readonly actor: string;
  /** Of an org that shares the client's service: revision of the list of such orgs by which it was let in. Null otherwise. */
  readonly sharingRevision: number | null;
}

/** Lists of a client to which its owner, and orgs that share its service, add by hand. */
export const ENTRY_LISTS = ['redirectUris', 'postLogoutRedirectUris', 'customDomains'] as const;
export type EntryList = (typeof ENTRY_LISTS)[number];

/** An entry of a list that was added by hand. Of other entries it is not known, or a deploy put them there. */
export interface AddedEntry extends AddedBy {
  readonly list: EntryList;
  readonly value: string;
}

/** An org that was taken out of those that share a service, by the change of this revision. */
export interface TakenOut {
  readonly org: string;
  readonly revision: number;
}

/**
 * Whether an org that was taken out added this, and so loses it: what it added when it was let in again afterwards stays,
 * and so does what the owner, a super admin or a deploy put there.
 */
export function wasAddedBy(by: AddedBy | null, { org, revision }: TakenOut): boolean {
  return by !== null && by.org === org && by.sharingRevision !== null && by.sharingRevision < revision;
}

/** What of a client the rules look at. */
interface AddedTo {
  readonly secrets: readonly { readonly id: string; readonly addedBy: AddedBy | null }[];
  readonly addedEntries: readonly AddedEntry[];
}

/** What an org that was taken out added to a client. */
export function additionsOf(
  { secrets, addedEntries }: AddedTo,
  taken: TakenOut,
): { readonly secretIds: readonly string[]; readonly entries: readonly AddedEntry[] } {
  return {
    secretIds: secrets.filter(({ addedBy }) => wasAddedBy(addedBy, taken)).map(({ id }) => id),
    entries: addedEntries.filter((entry) => wasAddedBy(entry, taken)),
  };
}

/**
 * Whether a client takes an addition: of an org that shares its service, unless an org was taken out since that was looked
 * up. So an addition under way at that moment is either there to be removed, or refused.
 */
export function takesAddition({ sharingRevision }: { readonly sharingRevision: number }, by: AddedBy | null): boolean {
  return by === null || by.sharingRevision === null || by.sharingRevision >= sharingRevision;
}
