import type { DeploySettings, DeploysDeps } from '../activities/deploys/deps.ts';
import type { deploysWorkerSection } from '../adapters/env/deploys.ts';
import type { ReadSection } from '../adapters/env.ts';
import { type ClusterApi, createClusterApi } from '../adapters/kubernetes/cluster-api.ts';
import { createClusterRoutes } from '../adapters/kubernetes/cluster-routes.ts';
import { innerUrl } from '../adapters/kubernetes/names.ts';
import { createClusterRuntime, readKubeConfig } from '../adapters/kubernetes/workload-runtime.ts';
import type { EdgeRouter, WorkloadRuntime } from '../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../domain/errors.ts';
import type { WorkerParts } from './module.ts';

type Env = ReadSection<typeof deploysWorkerSection>;

/** What deploys do otherwise where workloads run in a cluster. */
export const CLUSTER_SETTINGS: Pick<DeploySettings, 'runtimeName' | 'innerUrl'> = {
  runtimeName: 'kubernetes',
  innerUrl,
};

/** Null where workloads run in the container engine. @throws VALIDATION_FAILED where KUBECONFIG is not set */
export function composeCluster(
  { env }: Pick<WorkerParts<Env>, 'env'>,
  edge: EdgeRouter,
): Pick<DeploysDeps, 'runtime' | 'edge'> | null {
  const cluster = connection(env);
  if (cluster === null) return null;
  const { STACK_ID: stackId, KUBERNETES_INGRESS_CLASS: ingressClass = null } = env;
  return {
    runtime: createRuntime(env, cluster),
    edge: createClusterRoutes({ api: cluster, stackId, edge, ingressClass }),
  };
}

/** The runtime alone; null where workloads run in the container engine. */
export function composeClusterRuntime(env: Env): WorkloadRuntime | null {
  const cluster = connection(env);
  return cluster === null ? null : createRuntime(env, cluster);
}

function createRuntime(env: Env, api: ClusterApi): WorkloadRuntime {
  const { DOCKER_REGISTRY: address, DOCKER_REGISTRY_USER: user, DOCKER_REGISTRY_TOKEN: token, STACK_ID: stackId } = env;
  const { KUBERNETES_EDGE_NAMESPACE: edgeNamespace } = env;
  const host = address.split('/')[0] ?? address;
  return createClusterRuntime({
    api,
    stackId,
    registry: { address, user, token },
    namespace: {
      stackId,
      open: env.WORKLOAD_NETWORKS,
      edge: edgeNamespace === undefined ? null : { 'kubernetes.io/metadata.name': edgeNamespace },
      registry: user === undefined || token === undefined ? null : { host, user, token },
    },
    now: () => new Date(),
  });
}

/** The kubeconfig is read, and the library for it loaded, when the cluster is asked for the first time. */
function connection({ ENABLE_K8S_DEPLOY: enabled, KUBECONFIG: path }: Env): ClusterApi | null {
  if (!enabled) return null;
  if (path === undefined) {
    const message =
      'ENABLE_K8S_DEPLOY is true and KUBECONFIG is not set: set it to the path of the file of the cluster';
    throw new FairleadError('VALIDATION_FAILED', message);
  }
  return createClusterApi(() => readKubeConfig(path));
}
