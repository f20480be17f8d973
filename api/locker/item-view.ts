import type { z } from 'zod';
import type { SecretCipher } from '../../domain/config/ports.ts';
import { HIDDEN_SECRET } from '../../domain/config/sealed-secret.ts';
import { handleOfItem, type LockerItem } from '../../domain/locker/item.ts';
import { openField } from '../../domain/locker/item-values.ts';
import type { itemSummarySchema, itemViewSchema } from '../../domain/locker/schema.ts';

/** An item without its values. */
export function itemSummary(item: LockerItem): z.input<typeof itemSummarySchema> {
  const { id, vault, name, legacyAlias, updatedBy } = item;
  return {
    ...{ id, handle: handleOfItem(item), vault, name, legacyAlias, updatedBy },
    fields: item.fields.map((field) => ({ name: field.name, secret: field.secret })),
    bindings: item.bindings.map(({ boundAt, ...binding }) => ({ ...binding, boundAt: boundAt.toISOString() })),
    sealedAt: item.sealedAt?.toISOString() ?? null,
    createdAt: item.createdAt.toISOString(),
    updatedAt: item.updatedAt.toISOString(),
  };
}

/** An item with the values that are not secret. @throws INTERNAL when no key opens one */
export function itemView(cipher: SecretCipher, item: LockerItem): z.input<typeof itemViewSchema> {
  const fields = item.fields.map((field) => {
    const { name, secret } = field;
    return { name, secret, value: secret ? HIDDEN_SECRET : openField(cipher, item, field) };
  });
  return { ...itemSummary(item), fields };
}
