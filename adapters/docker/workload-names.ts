import type { Environment } from '../../domain/environment.ts';

/** What a container is the workload of. */
export interface WorkloadTarget {
  readonly buildId: string;
  readonly service: string;
  readonly environment: Environment;
}

/** The container of a build: the same name for every attempt, so that the engine itself refuses a second one. */
export function containerName(stackId: string, target: WorkloadTarget): string {
  return `fl-${stackId}-${target.service}-${target.environment}-${target.buildId.replace(/^[a-z]+_/, '')}`;
}

/** The bridge network of a stack. */
export function networkName(stackId: string): string {
  return `fl-${stackId}`;
}

/** The container by which builds of a stack reach the proxy of builds. */
export function buildRelayName(stackId: string): string {
  return `fl-${stackId}-builds`;
}

/** The container and the volume of a stack's own engine of builds. */
export function buildEngineName(stackId: string): string {
  return `fl-${stackId}-build-engine`;
}
