import { roundOf } from '../../../domain/deploys/build-slots.ts';
import type { DeployTarget } from '../../../domain/deploys/build-store.ts';
import {
  coordinatorWorkflowId,
  type SlotRequested,
  type TargetRemoval,
  type WorkflowDirectory,
} from '../../../domain/deploys/messages.ts';
import { targetKey } from '../../../domain/ids.ts';

export interface InMemoryWorkflows extends WorkflowDirectory {
  /** Lets a workflow run until it is ended; a coordinator knows these builds. */
  start(workflowId: string, builds?: readonly string[]): void;
  end(workflowId: string): void;
  /** Whether a workflow was told that the slot it waited for is its. */
  wasGranted(workflowId: string): boolean;
  /** Builds that hold a slot. */
  holders(): readonly string[];
  /** Builds whose clean-up was started, each as often as it was. */
  cleanUps(): readonly string[];
  /** Services and environments for which a repair was asked, such as `shop/prod`, each as often as it was. */
  repairs(): readonly string[];
  /** Coordinators that were told of a decision, each as often as it was. */
  decisions(): readonly string[];
  /** What a coordinator does from now on when it is asked for a repair or a removal; at first nothing. */
  whenRepairing(work: (target: DeployTarget) => Promise<unknown>): void;
  whenRemoving(work: (removal: TargetRemoval) => Promise<unknown>): void;
  /** What pruning does from now on; at first nothing. */
  whenPruning(work: () => Promise<void>): void;
}

/** Other workflows, as far as activities know of them, in this process. */
export function createInMemoryWorkflows(): InMemoryWorkflows {
  const running = new Set<string>();
  const holders = new Map<string, SlotRequested>();
  const granted = new Set<string>();
  const cleanUps: string[] = [];
  const repairs: string[] = [];
  const decisions: string[] = [];
  const inHand = new Map<string, readonly string[]>();
  let repair = async (_: DeployTarget): Promise<unknown> => undefined;
  let remove = async (_: TargetRemoval): Promise<unknown> => undefined;
  const prune: Pruning = { work: async () => undefined, under: null, endedAt: 0 };
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
      const held = holders.get(buildId);
      if (held !== undefined) {
        if (roundOf(request) > roundOf(held)) holders.set(buildId, request);
        return true;
      }
      if (waiting.length === 0 && holders.size < limit) {
        holders.set(buildId, request);
        return true;
      }
      if (!waiting.some((each) => each.buildId === buildId)) waiting.push(request);
      waiting = waiting.map((each) => (each.buildId === buildId && roundOf(request) > roundOf(each) ? request : each));
      return false;
    },
    async releaseSlot(buildId, round = Number.POSITIVE_INFINITY) {
      const taken = holders.get(buildId) ?? waiting.find((each) => each.buildId === buildId);
      if (taken !== undefined && roundOf(taken) > round) return;
      holders.delete(buildId);
      waiting = waiting.filter((request) => request.buildId !== buildId);
      grantNext();
    },
    isRunning: async (workflowId) => running.has(workflowId),
    async isInHand({ service, environment }, buildId) {
      const coordinator = coordinatorWorkflowId(service, environment);
      return running.has(coordinator) && inHand.get(coordinator)?.includes(buildId) === true;
    },
    async tellDecided({ service, environment }) {
      decisions.push(targetKey(service, environment));
    },
    async requestRepair({ service, environment }) {
      repairs.push(targetKey(service, environment));
      // Neither how long it takes nor how it ends is the concern of whoever asks.
      repair({ service, environment }).catch(() => undefined);
    },
    async removeTarget(removal) {
      await remove(removal);
    },
    async startCleanUp({ buildId }) {
      if (!cleanUps.includes(buildId)) cleanUps.push(buildId);
    },
    async startPrune({ restMs }) {
      if (prune.under !== null || Date.now() - prune.endedAt < restMs) return false;
      startPruning(prune);
      return true;
    },
    async awaitPrune(signal) {
      const aborted = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
      signal.throwIfAborted();
      await Promise.race([prune.under ?? startPruning(prune), aborted.promise]);
    },
    start(workflowId, builds = []) {
      running.add(workflowId);
      inHand.set(workflowId, builds);
    },
    end: (workflowId) => void running.delete(workflowId),
    wasGranted: (workflowId) => granted.has(workflowId),
    holders: () => [...holders.keys()],
    cleanUps: () => [...cleanUps],
    repairs: () => [...repairs],
    decisions: () => [...decisions],
    whenRepairing(work) {
      repair = work;
    },
    whenRemoving(work) {
      remove = work;
    },
    whenPruning(work) {
      prune.work = work;
    },
  };
}

interface Pruning {
  work: () => Promise<void>;
  under: Promise<void> | null;
  /** In milliseconds of the epoch. */
  endedAt: number;
}

function startPruning(prune: Pruning): Promise<void> {
  prune.under = prune
    .work()
    // How it ends is not the concern of whoever waits.
    .catch(() => undefined)
    .finally(() => {
      prune.under = null;
      prune.endedAt = Date.now();
    });
  return prune.under;
}
