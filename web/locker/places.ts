import { z } from 'zod';
import { type AllowedCallers, PEOPLE } from '../../api/http/allowed-callers.ts';
import type { PersonCaller } from '../../api/http/caller.ts';
import { pathOf } from '../platform/platform.ts';

/** One of the two lockers that a person has to do with: that of the org they act in, and their own. */
export interface LockerPlace {
  readonly kind: 'org' | 'own';
  /** Path of its list here. */
  readonly path: string;
  readonly callers: AllowedCallers;
  readonly writers: AllowedCallers;
  /** Path of it at the locker's API. */
  readonly api: (person: Pick<PersonCaller, 'org'>) => readonly string[];
}

export const ORG_PLACE: LockerPlace = {
  kind: 'org',
  path: '/locker',
  callers: { 'platform-admin': true, user: 'member' },
  writers: { 'platform-admin': true, user: 'admin' },
  api: ({ org }) => ['api', 'orgs', org],
};

export const OWN_PLACE: LockerPlace = {
  kind: 'own',
  path: '/locker/own',
  callers: PEOPLE,
  writers: PEOPLE,
  api: () => ['api', 'me'],
};

export const PLACES: readonly LockerPlace[] = [ORG_PLACE, OWN_PLACE];

export const itemParams = z.strictObject({ vault: z.string().max(63), item: z.string().max(63) });
export type ItemParams = z.output<typeof itemParams>;

/** Path of an item's page, or of a form below it. The word between keeps vaults from looking like pages. */
export function itemPath({ path }: LockerPlace, { vault, item }: ItemParams, ...rest: readonly string[]): string {
  return `${path}/items${pathOf(vault, item, ...rest)}`;
}

/** Path of an item at the locker's API. */
export function itemApi(
  place: LockerPlace,
  person: Pick<PersonCaller, 'org'>,
  { vault, item }: ItemParams,
  ...rest: readonly string[]
): string {
  return pathOf(...place.api(person), 'vaults', vault, 'items', item, ...rest);
}
