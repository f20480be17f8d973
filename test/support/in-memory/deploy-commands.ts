import type { BuildRequest } from '../../../domain/deploys/build.ts';
import { decideTrigger, isHeldToSame } from '../../../domain/deploys/deduplicate.ts';
import type { DeployCommands, TriggerOutcome } from '../../../domain/deploys/messages.ts';
import { targetKey } from '../../../domain/ids.ts';

export interface InMemoryDeployCommands extends DeployCommands {
  /** What was asked for, attached requests included, oldest first. */
  readonly requests: readonly BuildRequest[];
  /** Names of the services that were removed. */
  readonly removed: readonly string[];
  /** From now on a cancelled build undoes its installation first, and goes on until it is ended. */
  install(buildId: string): void;
  /** From now on no removal comes to its end. */
  stallRemovals(): void;
  /** Ends a build. */
  end(buildId: string): void;
}

/** The deploy workflows of this process, as the API sees them: builds never get beyond fetching their source. */
export function createInMemoryDeployCommands(): InMemoryDeployCommands {
  const requests: BuildRequest[] = [];
  const removed: string[] = [];
  let isStalled = false;
  const outcomes = new Map<string, TriggerOutcome>();
  const inFlight = new Map<string, BuildRequest>();
  const installing = new Set<string>();
  const end = (buildId: string): void => {
    for (const [target, build] of inFlight) if (build.buildId === buildId) inFlight.delete(target);
  };
  const decide = (request: BuildRequest): TriggerOutcome => {
    const target = targetKey(request.service, request.environment);
    const current = inFlight.get(target);
    const known = current && { kind: current.kind, source: current.source, cloned: false, commitSha: null };
    const isSame = current !== undefined && isHeldToSame(current, request);
    if (isSame && known !== undefined && decideTrigger(known, request) === 'attach') {
      return { buildId: current.buildId, deduplicated: true, supersededBuildId: null };
    }
    inFlight.set(target, request);
    return { buildId: request.buildId, deduplicated: false, supersededBuildId: current?.buildId ?? null };
  };
  return {
    requests,
    removed,
    async request(request) {
      const outcome = outcomes.get(request.buildId) ?? decide(request);
      if (!outcomes.has(request.buildId)) requests.push(request);
      outcomes.set(request.buildId, outcome);
      return outcome;
    },
    async cancel({ buildId, service, environment }) {
      if (inFlight.get(targetKey(service, environment))?.buildId !== buildId) return 'finished';
      if (installing.has(buildId)) return 'cancelling';
      end(buildId);
      return 'cancelled';
    },
    async removeService({ name }) {
      if (isStalled) return 'removing';
      removed.push(name);
      return 'removed';
    },
    stallRemovals: () => {
      isStalled = true;
    },
    install: (buildId) => void installing.add(buildId),
    end,
  };
}
