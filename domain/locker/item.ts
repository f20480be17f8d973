import type { SealedSecret } from '../config/sealed-secret.ts';
import { formatLockerHandle, PERSONAL_OWNER } from '../locker-handle.ts';

/** Whose locker it is. */
export interface LockerOwner {
  readonly kind: 'org' | 'person';
  /** Slug of the org, or user id. */
  readonly id: string;
}

/** Where an item is. A vault is a name that items share: it is there as long as one of them is. */
export interface ItemPlace {
  readonly owner: LockerOwner;
  readonly vault: string;
  readonly name: string;
}

/** A credential with its parts, such as a user name in clear and a password. */
export interface LockerItem extends ItemPlace {
  /** `itm_…` */
  readonly id: string;
  /** 1 to 20, each name once. */
  readonly fields: readonly ItemField[];
  /** Services that may be given a value; none for a person's own item. */
  readonly bindings: readonly ServiceBinding[];
  /** Name that it had in the legacy vault; unique in an org. */
  readonly legacyAlias: string | null;
  /** Since when no value of it leaves the locker; null as a rule. */
  readonly sealedAt: Date | null;
  /** Counts its changes. */
  readonly revision: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** As logs name them. */
  readonly updatedBy: string;
}

export interface ItemField {
  readonly name: string;
  /** A field that is not secret is shown to whoever may read the item. */
  readonly secret: boolean;
  /** Encrypted, whether it is secret or not, for this field of this item alone. */
  readonly value: SealedSecret;
}

/** A service by its id: a later one of the same name is another service. */
export interface ServiceBinding {
  readonly serviceId: string;
  /** Its name when it was bound, for people. */
  readonly service: string;
  readonly boundAt: Date;
  readonly boundBy: string;
}

export const MAX_FIELDS = 20;
export const MAX_BINDINGS = 100;
/** As long as a variable of a service may be. */
export const MAX_VALUE_LENGTH = 32_768;
/** All values of an item together. */
export const MAX_ITEM_BYTES = 65_536;
/** Of one owner, in all vaults. */
export const MAX_ITEMS = 1_000;

/** The handle of an item as its owner types it. */
export function handleOfItem({ owner, vault, name }: ItemPlace): string {
  const id = owner.kind === 'org' ? owner.id : PERSONAL_OWNER;
  return formatLockerHandle({ owner: id, vault, item: name, field: null });
}
