import { z } from 'zod';
import { type ErrorCode, FairleadError } from '../../domain/errors.ts';
import type { ItemPlace, LockerOwner } from '../../domain/locker/item.ts';
import { lockerNameSchema, PERSONAL_OWNER } from '../../domain/locker-handle.ts';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import { ADMINISTRATORS, type AllowedCallers, PEOPLE } from '../http/allowed-callers.ts';
import { type Caller, isAdministrator, isPerson } from '../http/caller.ts';

/** The two kinds of lockers: the same routes below another path, for other callers. */
export interface LockerScope {
  readonly kind: LockerOwner['kind'];
  readonly base: string;
  /** As in "vaults of an org". */
  readonly title: string;
  readonly params: z.ZodRawShape;
  /** Who sees names and plain values. */
  readonly readers: AllowedCallers;
  readonly writers: AllowedCallers;
  readonly errors: readonly ErrorCode[];
  /** @throws ORG_NOT_FOUND for a locker that is not the caller's to know of */
  ownerOf(params: Readonly<Record<string, unknown>>, caller: Caller): LockerOwner;
}

/** Of an org: its members read names, its admins write. Nobody reads a secret back. */
export const ORG_LOCKER: LockerScope = {
  kind: 'org',
  base: '/api/orgs/:org',
  title: 'an org',
  params: { org: orgSlugSchema },
  readers: { ...ADMINISTRATORS, user: 'member' },
  writers: { ...ADMINISTRATORS, user: 'admin' },
  errors: ['ORG_NOT_FOUND'],
  ownerOf({ org }, caller) {
    const isTheirs = isAdministrator(caller) || (caller.org !== '' && caller.org === org);
    if (!isTheirs || org === PERSONAL_OWNER) throw new FairleadError('ORG_NOT_FOUND', `There is no org ${org}`);
    return { kind: 'org', id: String(org) };
  },
};

/** Of a person, who alone sees it. It is for no service. */
export const OWN_LOCKER: LockerScope = {
  kind: 'person',
  base: '/api/me',
  title: 'your own',
  params: {},
  readers: PEOPLE,
  writers: PEOPLE,
  errors: [],
  ownerOf(_params, caller) {
    if (!isPerson(caller)) throw new FairleadError('FORBIDDEN', 'This is for people');
    return { kind: 'person', id: caller.userId };
  },
};

export const LOCKER_SCOPES: readonly LockerScope[] = [ORG_LOCKER, OWN_LOCKER];

/** Path parameters of one item. */
export function itemParams({ params }: LockerScope) {
  return z.strictObject({ ...params, vault: lockerNameSchema, item: lockerNameSchema });
}

/** @throws ORG_NOT_FOUND */
export function placeOf(
  scope: LockerScope,
  params: Readonly<Record<string, unknown>> & { readonly vault: string; readonly item: string },
  caller: Caller,
): ItemPlace {
  return { owner: scope.ownerOf(params, caller), vault: params.vault, name: params.item };
}
