import { grantable } from '../../../domain/deploys/build-slots.ts';
import type { SlotRequested } from '../../../domain/deploys/messages.ts';

/** Slots that are kept in memory, and granted by the rule by which builds get theirs. */
export interface SlotPool {
  readonly run: (of: { readonly id: string; readonly org: string }, work: () => Promise<void>) => Promise<void>;
}

/** @param limit as BUILD_CONCURRENCY */
export function createSlotPool(limit: number): SlotPool {
  const holders = new Map<string, SlotRequested>();
  const waiting = new Map<string, { readonly request: SlotRequested; readonly granted: () => void }>();
  const grant = (): void => {
    for (;;) {
      const requests = [...waiting.values()].map(({ request }) => request);
      const next = grantable(requests, [...holders.values()], limit);
      if (next === null) return;
      holders.set(next.buildId, next);
      waiting.get(next.buildId)?.granted();
      waiting.delete(next.buildId);
    }
  };
  return {
    async run({ id, org }, work) {
      await new Promise<void>((granted) => {
        const request = { buildId: id, workflowId: id, environment: 'prod', org, limit } as const;
        waiting.set(id, { request, granted });
        grant();
      });
      try {
        await work();
      } finally {
        holders.delete(id);
        grant();
      }
    },
  };
}
