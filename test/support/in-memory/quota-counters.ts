import type { QuotaCounters } from '../../../domain/properties/quota.ts';

/** Counts of calls in this process. */
export function createInMemoryQuotaCounters(): QuotaCounters {
  const used = new Map<string, number>();
  const pauses = new Map<string, Date>();
  const slotLengths = new Map<string, number>();
  return {
    async slotMs(rule, proposed) {
      const agreed = slotLengths.get(rule) ?? proposed;
      slotLengths.set(rule, agreed);
      return agreed;
    },
    async take(key, slot, want, limit) {
      const id = `${key}/${slot.getTime()}`;
      const amount = Math.max(0, Math.min(want, limit - (used.get(id) ?? 0)));
      used.set(id, (used.get(id) ?? 0) + amount);
      return amount;
    },
    async pause(key, until) {
      const running = pauses.get(key);
      if (running === undefined || running < until) pauses.set(key, until);
    },
    async pausedUntil(keys, now) {
      const ends = keys.flatMap((key) => pauses.get(key)?.getTime() ?? []).filter((end) => end > now.getTime());
      return ends.length === 0 ? null : new Date(Math.max(...ends));
    },
  };
}
