import type { SecretCipher } from '../config/ports.ts';
import { FairleadError } from '../errors.ts';
import {
  handleOfItem,
  type ItemField,
  type ItemPlace,
  type LockerItem,
  MAX_BINDINGS,
  MAX_FIELDS,
  MAX_ITEM_BYTES,
  type ServiceBinding,
} from './item.ts';
import { valueContext } from './item-values.ts';

/** What is to be different. Fields that are not named stay. */
export interface ItemChange {
  readonly fields: readonly FieldChange[];
  readonly removeFields: readonly string[];
  /** Null takes the alias away; undefined keeps it. */
  readonly legacyAlias?: string | null | undefined;
}

export interface FieldChange {
  readonly name: string;
  readonly secret: boolean;
  readonly value: string;
}

export interface ChangeItemContext {
  readonly cipher: SecretCipher;
  readonly newItemId: () => string;
  readonly at: Date;
  /** Who changes it, as logs name them. */
  readonly by: string;
}

/**
 * The item with new values, made where there is none. A sealed item counts as unsealed only when every field of it was
 * given anew or removed: else what was sealed could be read again.
 * @throws VALIDATION_FAILED naming the field; ITEM_SEALED for new values beside some that would stay sealed
 */
export function changeItem(
  context: ChangeItemContext,
  place: ItemPlace,
  item: LockerItem | null,
  change: ItemChange,
): LockerItem {
  const { at, by } = context;
  const named = [...change.fields.map(({ name }) => name), ...change.removeFields];
  refuseTwice(named);
  const kept = (item?.fields ?? []).filter(({ name }) => !named.includes(name));
  const sealedAt = sealedAfter(item, kept, change);
  const sealed = change.fields.map((field): ItemField => seal(context.cipher, place, field));
  const fields = [...kept, ...sealed].sort((a, b) => (a.name < b.name ? -1 : 1));
  checkBounds(fields);
  const base = item ?? newItem(context, place);
  const { legacyAlias = base.legacyAlias } = change;
  if (legacyAlias !== null && place.owner.kind === 'person') throw invalid('legacyAlias', 'is for items of orgs alone');
  return { ...base, fields, legacyAlias, sealedAt, revision: base.revision + 1, updatedAt: at, updatedBy: by };
}

/** From now on no value of it leaves the locker. A sealed item stays as it is. */
export function sealItem(item: LockerItem, { at, by }: Pick<ChangeItemContext, 'at' | 'by'>): LockerItem {
  if (item.sealedAt !== null) return item;
  return { ...item, sealedAt: at, revision: item.revision + 1, updatedAt: at, updatedBy: by };
}

/** Lets a service have values of it. @throws VALIDATION_FAILED past {@link MAX_BINDINGS} */
export function bindService(item: LockerItem, binding: ServiceBinding): LockerItem {
  const others = item.bindings.filter(({ serviceId }) => serviceId !== binding.serviceId);
  if (others.length >= MAX_BINDINGS) throw invalid('serviceId', `an item is bound to at most ${MAX_BINDINGS} services`);
  return changedBindings(item, [...others, binding], { at: binding.boundAt, by: binding.boundBy });
}

/** Takes that away. An item that is not bound to it stays as it is. */
export function unbindService(
  item: LockerItem,
  serviceId: string,
  by: Pick<ChangeItemContext, 'at' | 'by'>,
): LockerItem {
  const bindings = item.bindings.filter((binding) => binding.serviceId !== serviceId);
  return bindings.length === item.bindings.length ? item : changedBindings(item, bindings, by);
}

function changedBindings(
  item: LockerItem,
  bindings: readonly ServiceBinding[],
  { at, by }: Pick<ChangeItemContext, 'at' | 'by'>,
): LockerItem {
  return { ...item, bindings, revision: item.revision + 1, updatedAt: at, updatedBy: by };
}

function newItem({ newItemId, at, by }: ChangeItemContext, place: ItemPlace): LockerItem {
  const { owner, vault, name } = place;
  const empty = { fields: [], bindings: [], legacyAlias: null, sealedAt: null, revision: 0 } as const;
  return { id: newItemId(), owner, vault, name, ...empty, createdAt: at, updatedAt: at, updatedBy: by };
}

function sealedAfter(item: LockerItem | null, kept: readonly ItemField[], { fields }: ItemChange): Date | null {
  if (item === null || item.sealedAt === null) return null;
  if (kept.length === 0 && fields.length > 0) return null;
  if (fields.length === 0) return item.sealedAt;
  const names = kept.map(({ name }) => name).join(', ');
  const message = `${handleOfItem(item)} is sealed: give new values to ${names} as well, or remove them`;
  throw new FairleadError('ITEM_SEALED', message);
}

function seal(cipher: SecretCipher, place: ItemPlace, { name, secret, value }: FieldChange): ItemField {
  return { name, secret, value: cipher.seal(value, valueContext(place, name)) };
}

function refuseTwice(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid('fields', `${twice} is named twice`);
}

/** What encryption adds to a value: a nonce and a tag. */
const SEALING_BYTES = 28;

function checkBounds(fields: readonly ItemField[]): void {
  if (fields.length === 0) throw invalid('fields', 'an item has at least one field; to remove the item, delete it');
  if (fields.length > MAX_FIELDS) throw invalid('fields', `an item has at most ${MAX_FIELDS} fields`);
  const bytes = fields.reduce((sum, { value }) => sum + Math.floor((value.sealed.length * 3) / 4) - SEALING_BYTES, 0);
  if (bytes > MAX_ITEM_BYTES)
    throw invalid('fields', `the values of an item have at most ${MAX_ITEM_BYTES} bytes together`);
}

function invalid(field: string, message: string): FairleadError {
  return new FairleadError('VALIDATION_FAILED', `${field}: ${message}`, { details: [{ field, message }] });
}
