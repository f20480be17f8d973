/**
 * The module `locker`: credentials of orgs and people, and which services may be given a value.
 *
 * Keying: an item has an id, and in the locker of its owner a vault and a name that nothing else has. Values are sealed for
 * owner, vault, item and field.
 * Retries: a change is written only over the revision it was made of, and made again when another came first. A value that
 * is asked for twice is given twice, with an audit event each time.
 * Compensation: none. An audit event is recorded before the change or the value that it tells of: a process that is killed
 * in between leaves an event without its effect, and never an effect without its event.
 */

import type { SealedSecret } from '../config/sealed-secret.ts';
import type { Page, PageRequest } from '../page.ts';
import type { ItemPlace, LockerItem, LockerOwner } from './item.ts';

export interface LockerVault {
  readonly name: string;
  readonly items: number;
}

export interface LockerStore {
  find(place: ItemPlace): Promise<LockerItem | null>;
  /** The item of an org that had that name in the legacy vault. */
  findByAlias(org: string, alias: string): Promise<LockerItem | null>;
  /** Ordered by vault and name; `vault` null lists those of all. */
  list(
    filter: { readonly owner: LockerOwner; readonly vault: string | null },
    page: PageRequest,
  ): Promise<Page<LockerItem>>;
  /** Ordered by name; as many as there are items at most. */
  vaults(owner: LockerOwner): Promise<readonly LockerVault[]>;
  /**
   * @throws CONFLICT (retryable) when the owner has an item of that name in the vault; VALIDATION_FAILED when another item
   *   of the org has the alias; LOCKER_FULL when the owner has as many items as can be, however many are added at once
   */
  insert(item: LockerItem): Promise<void>;
  /**
   * Puts the item in the place of the one of the revision before.
   * @throws CONFLICT (retryable) when it is of another revision by now, or gone; VALIDATION_FAILED as `insert`
   */
  replace(item: LockerItem): Promise<void>;
  /** True when it was there. */
  remove(id: string): Promise<boolean>;
  /** Of all owners, ordered by id. */
  listAll(page: PageRequest): Promise<Page<LockerItem>>;
  /** Puts another sealed form of the same value in the place of `from`. False when something else is there by now. */
  replaceValue(id: string, field: string, change: { from: SealedSecret; to: SealedSecret }): Promise<boolean>;
}
