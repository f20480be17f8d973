import type { EventQueue, PendingEvent } from './audit-event.ts';

/**
 * Events in memory, `limit` at most besides the one that is being sent: the newest are the ones that stay. They are gone
 * with the process.
 */
export function createMemoryQueue(limit: number): EventQueue {
  const waiting = new Map<string, PendingEvent>();
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
    first: () => waiting.values().next().value ?? null,
    done: async ({ key }) => {
      waiting.delete(key);
    },
    close: async () => {},
  };
}
