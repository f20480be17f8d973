import { createHash } from 'node:crypto';
import { formatId } from '../../../domain/ids.ts';

/**
 * Id of the event under an idempotency key. It follows from the key, so that the primary key of the collection keeps a
 * second event under it out, whichever process it comes through, and no further index is needed.
 */
export function idOfKey(owner: { namespace: string; emitter: string; key: string }): string {
  const text = JSON.stringify([owner.namespace, owner.emitter, owner.key]);
  return formatId('event', createHash('sha256').update(text).digest());
}
