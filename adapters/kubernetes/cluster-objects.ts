import { environmentOfLabel } from '../../domain/deploys/environment-label.ts';
import type { Workload } from '../../domain/deploys/workload-runtime.ts';
import type { ClusterApi, ObjectPlace } from './cluster-api.ts';
import { ANNOTATIONS, LABELS, labelSelector } from './names.ts';
import { lastEnd, neverRan, type PodObject, type RolloutObjects, rolloutFailure } from './rollout-failures.ts';

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly resourceVersion?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export type DeploymentObject = RolloutObjects['deployment'] & {
  readonly metadata: Metadata;
  readonly spec: {
    readonly replicas?: number;
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly image?: string;
          readonly env?: readonly {
            readonly name: string;
            readonly valueFrom?: { readonly secretKeyRef?: { readonly key: string } };
          }[];
          readonly ports?: readonly { readonly containerPort: number }[];
          readonly resources?: { readonly limits?: Readonly<Record<string, string>> };
        }[];
      };
    };
  };
};

export interface ServiceObject {
  readonly metadata: Metadata;
  readonly spec: {
    readonly clusterIP?: string;
    readonly ports?: readonly { readonly port: number }[];
    readonly selector?: Readonly<Record<string, string>>;
  };
}

export type LivePod = PodObject & { readonly metadata: Metadata; readonly spec?: { readonly nodeName?: string } };

/** The id of a workload: the namespace and the name of its deployment. */
export function placeOf(workload: Pick<Workload, 'id'>, kind: ObjectPlace['kind'] = 'Deployment'): ObjectPlace {
  const [namespace = '', name = ''] = workload.id.split('/');
  return { kind, namespace, name };
}

export function podsOf(api: ClusterApi, { namespace }: ObjectPlace, buildId: string) {
  return api.list<LivePod>({ kind: 'Pod', namespace, labelSelector: `${LABELS.build}=${buildId}` });
}

/** What the three objects of a workload tell of it together. */
export function workloadOf(
  deployment: DeploymentObject,
  service: ServiceObject | undefined,
  pods: readonly LivePod[],
): Workload {
  const { namespace, name, labels = {}, annotations = {} } = deployment.metadata;
  const id = `${namespace}/${name}`;
  const { clusterIP, ports } = service?.spec ?? {};
  return {
    id,
    buildId: annotations[ANNOTATIONS.build] ?? '',
    releaseId: annotations[ANNOTATIONS.release] ?? '',
    service: labels[LABELS.service] ?? '',
    environment: environmentOfLabel(labels[LABELS.environment], `Deployment ${id}`),
    running: deployment.spec.replicas !== 0 && pods.some(isRunning),
    // Where its Service is gone, nobody listens at this address.
    address: clusterIP === undefined ? 'http://127.0.0.1:9' : `http://${clusterIP}:${ports?.[0]?.port}`,
  };
}

export function isRunning({ metadata, status }: LivePod): boolean {
  return metadata.deletionTimestamp === undefined && status?.containerStatuses?.[0]?.state?.running !== undefined;
}

/** True when its process has run, whether it still does or not. */
export function hasStarted(pod: LivePod): boolean {
  const end = lastEnd(pod);
  return isRunning(pod) || (end !== null && !neverRan(end));
}

/** False when it has stopped, or keeps failing. */
export function isAlive(deployment: DeploymentObject, pods: readonly LivePod[]): boolean {
  if (deployment.spec.replicas === 0 || deployment.metadata.deletionTimestamp !== undefined) return false;
  return rolloutFailure({ deployment, pods, events: [] })?.isFinal !== true;
}

const startedAt = ({ metadata }: DeploymentObject): string => metadata.annotations?.[ANNOTATIONS.startedAt] ?? '';

/** The workloads of a stack with these labels, newest first; three calls, however many there are. */
export async function listWorkloads(
  api: ClusterApi,
  {
    stackId,
    namespace,
    labels = {},
  }: {
    readonly stackId: string;
    readonly namespace: string | null;
    readonly labels?: Readonly<Record<string, string>>;
  },
): Promise<readonly Workload[]> {
  const of = { namespace, labelSelector: labelSelector(stackId, labels) };
  const [deployments, services, pods] = await Promise.all([
    api.list<DeploymentObject>({ kind: 'Deployment', ...of }),
    api.list<ServiceObject>({ kind: 'Service', ...of }),
    api.list<LivePod>({ kind: 'Pod', ...of }),
  ]);
  const key = ({ metadata }: { readonly metadata: Metadata }): string => `${metadata.namespace}/${metadata.name}`;
  const serviceOf = new Map(services.items.map((service) => [key(service), service]));
  const buildOf = ({ metadata }: { readonly metadata: Metadata }): string => metadata.labels?.[LABELS.build] ?? '';
  const podsOfBuild = Map.groupBy(pods.items, buildOf);
  return deployments.items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .toSorted((a, b) => (startedAt(a) < startedAt(b) ? 1 : -1))
    .map((deployment) =>
      workloadOf(deployment, serviceOf.get(key(deployment)), podsOfBuild.get(buildOf(deployment)) ?? []),
    );
}
