import type { SecretDestination } from '../config/secret-import.ts';
import { FairleadError } from '../errors.ts';
import { formatLockerHandle, type LockerHandle, PERSONAL_OWNER } from '../locker-handle.ts';
import { handleOfItem, type ItemField, type LockerItem } from './item.ts';

/**
 * What can be refused before anything is looked up, so that nobody learns what another owner has (spec 2, "Configuration
 * variables and secrets", 3).
 * @throws PERSONAL_NOT_RESOLVABLE, ORG_MISMATCH
 */
export function checkHandleOwner(handle: LockerHandle, destination: SecretDestination): void {
  if (handle.owner === PERSONAL_OWNER) {
    throw new FairleadError('PERSONAL_NOT_RESOLVABLE', 'A personal item is given to no service: move it to the org');
  }
  if (handle.owner === destination.org) return;
  const message = `The handle is of the org ${handle.owner}, and ${destination.service} belongs to ${destination.org}`;
  throw new FairleadError('ORG_MISMATCH', message);
}

/**
 * The field that a service may have the value of. Whether an item is sealed, and what fields it has, is told of bound
 * items alone.
 * @param item what the destination's org has under that handle or alias; null when it has nothing
 * @throws LOCKER_ITEM_NOT_FOUND, NOT_BOUND, ITEM_SEALED, FIELD_AMBIGUOUS
 */
export function chooseField(item: LockerItem | null, field: string | null, destination: SecretDestination): ItemField {
  if (item === null) throw itemNotFound();
  const handle = handleOfItem(item);
  if (!item.bindings.some(({ serviceId }) => serviceId === destination.serviceId)) {
    throw new FairleadError('NOT_BOUND', `${handle} is not bound to the service ${destination.service}`);
  }
  refuseSealed(item);
  if (field !== null) {
    const named = item.fields.find(({ name }) => name === field);
    if (named === undefined) throw itemNotFound();
    return named;
  }
  const [only, ...more] = item.fields.filter(({ secret }) => secret);
  if (only !== undefined && more.length === 0) return only;
  const message = `${handle} has ${more.length === 0 ? 'no secret field' : 'several secret fields'}: name the field`;
  throw new FairleadError('FIELD_AMBIGUOUS', message);
}

/** @throws ITEM_SEALED */
export function refuseSealed(item: LockerItem): void {
  if (item.sealedAt !== null) throw new FairleadError('ITEM_SEALED', `${handleOfItem(item)} is sealed`);
}

/** The handle of one field. */
export function handleOfField({ owner, vault, name }: LockerItem, field: string): string {
  return formatLockerHandle({ owner: owner.id, vault, item: name, field });
}

export function itemNotFound(): FairleadError {
  return new FairleadError('LOCKER_ITEM_NOT_FOUND', 'The locker has no such item or field');
}
