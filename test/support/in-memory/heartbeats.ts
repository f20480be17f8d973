import { type HeartbeatStore, type Heartbeats, NO_HEARTBEATS } from '../../../domain/monitors/heartbeat.ts';

/** Heartbeats in memory. */
export function createMemoryHeartbeats(): HeartbeatStore {
  const stored = new Map<string, Heartbeats>();
  return {
    async put(monitorId, signal, at) {
      const known = stored.get(monitorId) ?? NO_HEARTBEATS;
      const before = known[signal];
      if (before === null || before < at) stored.set(monitorId, { ...known, [signal]: at });
    },
    async find(monitorIds) {
      return new Map(
        monitorIds.flatMap((id) => {
          const found = stored.get(id);
          return found === undefined ? [] : [[id, found] as const];
        }),
      );
    },
    async remove(monitorId) {
      stored.delete(monitorId);
    },
  };
}
