import type { PlatformAudit, PlatformEvent } from '../../../domain/audit/platform-audit.ts';
import { isEventType } from '../../../domain/audit-ledger/grammar.ts';

export interface InMemoryAudit extends PlatformAudit {
  /** What the ledger was told, oldest first. */
  readonly told: () => readonly PlatformEvent[];
}

/** The audit ledger of this process: each key once, and nothing that the ledger would refuse. */
export function createInMemoryAudit(): InMemoryAudit {
  const events = new Map<string, PlatformEvent>();
  return {
    async record(event) {
      if (isEventType(event.eventType) && !events.has(event.key)) events.set(event.key, structuredClone(event));
    },
    told: () => structuredClone([...events.values()]),
  };
}
