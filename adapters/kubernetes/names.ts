import type { Environment } from '../../domain/environment.ts';

/** What an object of the cluster belongs to. */
export interface ServiceTarget {
  readonly service: string;
  readonly environment: Environment;
}

/** Under which name Fairlead applies fields: what others set beside them stays theirs. */
export const FIELD_MANAGER = 'fairlead';

/** Names of the labels on everything that Fairlead makes in a cluster. */
export const LABELS = {
  managedBy: 'app.kubernetes.io/managed-by',
  name: 'app.kubernetes.io/name',
  stack: 'fairlead.io/stack',
  service: 'fairlead.io/service',
  environment: 'fairlead.io/environment',
  build: 'fairlead.io/build',
  release: 'fairlead.io/release',
} as const;

export const ANNOTATIONS = {
  /** The build and the release as they are written elsewhere: labels have bounds that ids need not have. */
  build: 'fairlead.io/build-id',
  release: 'fairlead.io/release-id',
  /** When its build first started it: the times of the cluster know seconds alone. */
  startedAt: 'fairlead.io/started-at',
  /** The epoch in which a route was set, and its workload. */
  epoch: 'fairlead.io/epoch',
  workload: 'fairlead.io/workload',
} as const;

/** Names within the namespace of a service and environment: there is one of each. */
export const NAMES = {
  quota: 'fairlead',
  limits: 'fairlead',
  isolation: 'fairlead',
  registry: 'fairlead-registry',
  /** By which other workloads, and ingress controllers, reach whatever serves. */
  route: 'app',
  container: 'app',
} as const;

/** The namespace of a service in one environment (spec 2, "Queue and schedule bindings": `{service}-{environment}`). */
export function namespaceName({ service, environment }: ServiceTarget): string {
  return `${service}-${environment}`;
}

/** The name of what a build starts: the same for every attempt, so that the cluster itself refuses a second one. */
export function workloadName(buildId: string): string {
  return `build-${buildId.replace(/^[a-z]+_/, '').toLowerCase()}`;
}

/** By which a pod is known as one that may call a service: only Fairlead writes labels on pods. */
export function callsLabel(service: string): string {
  return `calls.fairlead.io/${service}`;
}

/** The address of whatever serves of a service, as other workloads of the cluster have it. */
export function innerUrl(target: ServiceTarget): string {
  return `http://${NAMES.route}.${namespaceName(target)}.svc`;
}

/** The labels of everything that belongs to a service and environment. */
export function targetLabels(stackId: string, { service, environment }: ServiceTarget): Record<string, string> {
  return {
    [LABELS.managedBy]: FIELD_MANAGER,
    [LABELS.name]: service,
    [LABELS.stack]: stackId,
    [LABELS.service]: service,
    [LABELS.environment]: environment,
  };
}

/** The selector of a list that keeps to a stack, and further labels when given. */
export function labelSelector(stackId: string, more: Readonly<Record<string, string>> = {}): string {
  const wanted = { [LABELS.managedBy]: FIELD_MANAGER, [LABELS.stack]: stackId, ...more };
  return Object.entries(wanted)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
