import type { SecretCipher, SecretContext } from '../config/ports.ts';
import type { ItemField, ItemPlace } from './item.ts';

/** What a value is sealed for: the owner, the vault, the item and the field. It opens in no other place. */
export function valueContext({ owner, vault, name }: ItemPlace, field: string): SecretContext {
  return { service: `${owner.kind}:${owner.id}/${vault}/${name}`, key: field };
}

/** The value in clear. @throws INTERNAL when no key opens it */
export function openField(cipher: SecretCipher, item: ItemPlace, { name, value }: ItemField): string {
  return cipher.open(value, valueContext(item, name));
}
