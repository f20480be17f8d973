import type { PendingEvent } from '../../domain/audit/pending-event.ts';
import type { EventQueue } from './audit-event.ts';

/**
 * Events in memory, `limit` at most besides the one that is being sent: the newest are the ones that stay. They are gone
 * with the process, and what is refused is gone at once.
 */
export function createMemoryQueue(limit: number): EventQueue {
  const waiting = new Map<string, PendingEvent>();
  const remove = async ({ key }: PendingEvent): Promise<void> => void waiting.delete(key);
  return {
    durable: false,
    get size() {
      return waiting.size;
    },
    async add(event) {
      waiting.set(event.key, event);
      if (waiting.size <= limit + 1) return null;
      const [, oldest] = waiting.values();
      if (oldest !== undefined) waiting.delete(oldest.key);
      return oldest ?? null;
    },
    readNext: async (most) => [...waiting.values()].slice(0, most),
    markDelivered: remove,
    markRefused: remove,
    close: async () => {},
  };
}
