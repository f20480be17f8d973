import type { SlotRequested, WorkflowDirectory } from '../../../domain/deploys/messages.ts';

export interface InMemoryWorkflows extends WorkflowDirectory {
  /** Lets a workflow run until it is ended. */
  start(workflowId: string): void;
  end(workflowId: string): void;
  /** Whether a workflow was told that the slot it waited for is its. */
  wasGranted(workflowId: string): boolean;
  /** Builds that hold a slot. */
  holders(): readonly string[];
  /** Builds whose clean-up was started, each as often as it was. */
  cleanUps(): readonly string[];
}

/** Other workflows, as far as activities know of them, in this process. */
export function createInMemoryWorkflows(): InMemoryWorkflows {
  const running = new Set<string>();
  const holders = new Map<string, SlotRequested>();
  const granted = new Set<string>();
  const cleanUps: string[] = [];
  let waiting: SlotRequested[] = [];
  let limit = 1;
  const grantNext = (): void => {
    const next = holders.size < limit ? waiting.shift() : undefined;
    if (next === undefined) return;
    holders.set(next.buildId, next);
    granted.add(next.workflowId);
    grantNext();
  };
  return {
    async requestSlot(request) {
      limit = request.limit;
      const { buildId } = request;
      if (holders.has(buildId)) return true;
      if (waiting.length === 0 && holders.size < limit) {
        holders.set(buildId, request);
        return true;
      }
      if (!waiting.some((each) => each.buildId === buildId)) waiting.push(request);
      return false;
    },
    async releaseSlot(buildId) {
      holders.delete(buildId);
      waiting = waiting.filter((request) => request.buildId !== buildId);
      grantNext();
    },
    isRunning: async (workflowId) => running.has(workflowId),
    async startCleanUp({ buildId }) {
      if (!cleanUps.includes(buildId)) cleanUps.push(buildId);
    },
    start: (workflowId) => void running.add(workflowId),
    end: (workflowId) => void running.delete(workflowId),
    wasGranted: (workflowId) => granted.has(workflowId),
    holders: () => [...holders.keys()],
    cleanUps: () => [...cleanUps],
  };
}
