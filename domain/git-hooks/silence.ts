import type { GitConnection } from './connection.ts';

const DAY_MS = 24 * 3_600_000;

/** Days without a genuine delivery after which a hook that the platform registered is spoken of. */
export const SILENT_AFTER_DAYS = 14;

type Heard = Pick<GitConnection, 'hookId' | 'lastDeliveryAt' | 'verifiedAt' | 'updatedAt'>;

/**
 * Days that nothing genuine was delivered although the hook is registered; null for fewer than {@link SILENT_AFTER_DAYS}, and
 * where nobody knows: the platform did not register the hook, or an earlier version took its last delivery.
 */
export function silentDays({ hookId, lastDeliveryAt, verifiedAt, updatedAt }: Heard, now: Date): number | null {
  if (hookId === null || (lastDeliveryAt === null && verifiedAt !== null)) return null;
  const days = Math.floor((now.getTime() - (lastDeliveryAt ?? updatedAt).getTime()) / DAY_MS);
  return days < SILENT_AFTER_DAYS ? null : days;
}
