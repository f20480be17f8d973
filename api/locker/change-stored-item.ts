import { FairleadError } from '../../domain/errors.ts';
import type { ChangeItemContext } from '../../domain/locker/change-item.ts';
import { handleOfItem, type ItemPlace, type LockerItem } from '../../domain/locker/item.ts';
import { checkAgain } from '../check-again.ts';
import type { Caller } from '../http/caller.ts';
import type { RouteContext } from '../http/define-route.ts';
import type { LockerDeps } from './deps.ts';
import { itemEvent, recordEvent } from './record-event.ts';

/** What is to be done to an item, and how it is told. */
export interface StoredChange {
  readonly place: ItemPlace;
  /** As in `locker.item_changed`. */
  readonly done: string;
  readonly data?: Parameters<typeof itemEvent>[2];
  /** The item afterwards; the same one when nothing is to do. @throws what refuses the change */
  make(item: LockerItem | null, context: ChangeItemContext): LockerItem;
}

/**
 * Looks at an item, records the change, and writes it over what was looked at; all of it again when another was first.
 * @throws what `make` throws; ORG_NOT_FOUND for an item of an org that does not exist; LOCKER_FULL; UNAVAILABLE; CONFLICT while
 * others change it again and again
 */
export function changeStoredItem(
  deps: LockerDeps,
  context: RouteContext<Caller>,
  { place, done, data, make }: StoredChange,
): Promise<LockerItem> {
  return checkAgain(async () => {
    const { cipher, newId, now, items } = deps;
    const item = await items.find(place);
    const by = { cipher, newItemId: () => newId('lockerItem'), at: now(), by: context.caller.name };
    const next = make(item, by);
    if (next === item) return next;
    if (item === null) await requireOwner(deps, context, place);
    await recordEvent(deps, context, itemEvent(place, done, data));
    await (item === null ? items.insert(next) : items.replace(next));
    return next;
  });
}

/**
 * Nobody sees the locker of a mistyped org, and its first members would find what was meant for another. Who acts in the
 * org by a token of the identity provider needs no question there.
 */
async function requireOwner(
  { orgs }: LockerDeps,
  { caller }: RouteContext<Caller>,
  { owner }: ItemPlace,
): Promise<void> {
  if (owner.kind !== 'org' || caller.org === owner.id) return;
  try {
    await orgs?.requireOrg(owner.id);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'ORG_NOT_FOUND') throw error;
    const message = `There is no org ${owner.id}: a handle is lk://<org>/<vault>/<item>`;
    throw new FairleadError('ORG_NOT_FOUND', message, { details: [{ field: 'org', message }], cause: error });
  }
}

/** An item that has to be there. @throws LOCKER_ITEM_NOT_FOUND */
export function requireItem(item: LockerItem | null, place: ItemPlace): LockerItem {
  if (item !== null) return item;
  throw new FairleadError('LOCKER_ITEM_NOT_FOUND', `There is no item ${handleOfItem(place)}`);
}
