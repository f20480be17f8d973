import { z } from 'zod';
import type { LockerItem, LockerOwner } from '../../../domain/locker/item.ts';
import { readDocument } from '../read-document.ts';
import { sealedSecretSchema } from '../sealed-secret-schema.ts';

export interface ItemDocument extends Omit<LockerItem, 'id' | 'owner'> {
  readonly _id: string;
  /** As in `org:acme` and `person:usr_1`. */
  readonly owner: string;
  /** From 0 on; no other item of the owner has it, which bounds how many there are. */
  readonly slot: number;
  /** The alias, or what no alias can be where there is none: of one owner, each once. */
  readonly aliasKey: string;
}

const text = z.string();

const itemSchema = z.object({
  _id: text,
  owner: z.templateLiteral([z.enum(['org', 'person']), ':', text]),
  vault: text,
  name: text,
  fields: z.array(z.object({ name: text, secret: z.boolean(), value: sealedSecretSchema })),
  bindings: z.array(z.object({ serviceId: text, service: text, boundAt: z.date(), boundBy: text })),
  legacyAlias: text.nullable(),
  sealedAt: z.date().nullable(),
  revision: z.int(),
  createdAt: z.date(),
  updatedAt: z.date(),
  updatedBy: text,
});

export const ownerKey = ({ kind, id }: LockerOwner): string => `${kind}:${id}`;

export function readItem(document: unknown): LockerItem {
  const { _id, owner, ...rest } = readDocument('item of the locker', itemSchema, document);
  const at = owner.indexOf(':');
  return { id: _id, owner: { kind: owner.slice(0, at) as LockerOwner['kind'], id: owner.slice(at + 1) }, ...rest };
}

/** Everything of an item but its id and its slot. */
export function itemFields({ id, owner, ...rest }: LockerItem): Omit<ItemDocument, '_id' | 'slot'> {
  return { ...rest, owner: ownerKey(owner), aliasKey: rest.legacyAlias ?? `~${id}` };
}
