import { text } from 'node:stream/consumers';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Workload, WorkloadRuntime } from '../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../domain/errors.ts';
import { createMutex } from '../../domain/mutex.ts';
import { probeHttp } from '../http-probe/probe-http.ts';
import { type ClusterApi, ClusterRefusal, clusterError } from './cluster-api.ts';
import { type DeploymentObject, isAlive, isRunning, listWorkloads, placeOf, podsOf } from './cluster-objects.ts';
import { followPods, newest } from './follow-pods.ts';
import { measurePod } from './measure-pod.ts';
import { LABELS, NAMES, namespaceName } from './names.ts';
import { removeEmptyNamespace, removeObjects } from './remove-workload.ts';
import { resourcePath } from './resources.ts';
import { untilStarted } from './rollout.ts';
import { explainEnd, rolloutFailure } from './rollout-failures.ts';
import { listeningInPod } from './run-in-pod.ts';
import { found, type StartOptions, startWorkload } from './start-workload.ts';
import { variablesIn } from './workload-manifests.ts';

const TAIL_LIMIT = 1_000;
const TAIL_MS = 30_000;

/** Reads the kubeconfig of a path. Its library is loaded with it, and so only where workloads run on a cluster. */
export async function readKubeConfig(path: string): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  try {
    config.loadFromFile(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FairleadError('UNAVAILABLE', `KUBECONFIG cannot be read: ${why}`, { cause: error });
  }
  return config;
}

/** The workload runtime on a Kubernetes cluster: one deployment for each build that was installed. */
export function createClusterRuntime(options: StartOptions): WorkloadRuntime {
  const { api, stackId } = options;
  const exclusive = createMutex();
  const asking = async <T>(doing: string, call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      throw clusterError(error, doing);
    }
  };
  const objectsOf = async (workload: Workload) => {
    const place = placeOf(workload);
    const [deployment, pods] = await Promise.all([
      api.get<DeploymentObject>(place),
      podsOf(api, place, workload.buildId),
    ]);
    return { deployment: deployment?.metadata.deletionTimestamp === undefined ? deployment : null, pods: pods.items };
  };
  return {
    start: (spec, context) =>
      exclusive(`${namespaceName(spec)}/${spec.buildId}`, () => startWorkload(spec, context, options)),
    probe: (workload, healthEndpoint, signal) => probeHttp({ address: workload.address, path: healthEndpoint }, signal),
    // It holds from the start: a pod whose limits are changed is another pod.
    applyCpuLimit: async () => undefined,
    isAlive: (workload) =>
      asking('Asking for a deployment', async () => {
        const { deployment, pods } = await objectsOf(workload);
        return deployment !== null && isAlive(deployment, pods);
      }),
    measure: (workload) =>
      asking('Measuring a workload', async () => {
        const { deployment, pods } = await objectsOf(workload);
        return deployment === null ? null : await measurePod(api, deployment, newest(pods));
      }),
    listening: (workload) =>
      asking('Looking for the ports of a workload', async () => {
        const { pods } = await objectsOf(workload);
        const pod = newest(pods.filter(isRunning));
        return pod === undefined ? null : await listeningInPod(api, pod);
      }),
    variables: (workload) => asking('Reading the variables of a workload', () => variables(api, workload)),
    tail: (workload, lines) =>
      asking('Reading the output of a workload', async () => {
        const { deployment, pods } = await objectsOf(workload);
        if (deployment === null) return ['The deployment is gone.'];
        const pod = newest(pods);
        const failure = rolloutFailure({ deployment, pods, events: [] });
        if (pod === undefined) return failure === null ? [] : [failure.message];
        const output = await lastLines(api, placeOf(workload).namespace, pod.metadata.name, lines);
        const end = explainEnd(pod) ?? failure?.message ?? null;
        return end === null ? output : [...output, end];
      }),
    follow: (workload, following) => followPods(api, workload, following),
    list: (service, environment) =>
      asking('Listing deployments', () => {
        const labels = { [LABELS.service]: service, [LABELS.environment]: environment };
        return listWorkloads(api, { stackId, namespace: namespaceName({ service, environment }), labels });
      }),
    listAll: () => asking('Listing deployments', () => listWorkloads(api, { stackId, namespace: null })),
    // Its network policies are the cluster's to keep.
    protect: async () => undefined,
    resume: (workload, signal) => resume(api, workload, signal),
    remove: (workload, graceSeconds) =>
      asking('Removing a deployment', async () => {
        const place = placeOf(workload);
        await exclusive(`${place.namespace}/${workload.buildId}`, () =>
          removeObjects(api, place, workload.buildId, graceSeconds),
        );
        await removeEmptyNamespace(api, stackId, place.namespace ?? '');
      }),
  };
}

async function variables(api: ClusterApi, workload: Workload): Promise<Record<string, string> | null> {
  const [deployment, secret] = await Promise.all([
    api.get<DeploymentObject>(placeOf(workload)),
    api.get<{ readonly data?: Readonly<Record<string, string>> }>(placeOf(workload, 'Secret')),
  ]);
  if (deployment === null || secret === null) return null;
  return variablesIn(deployment.spec.template.spec.containers[0]?.env ?? [], secret.data ?? {});
}

async function lastLines(
  api: ClusterApi,
  namespace: string | null,
  pod: string,
  lines: number,
): Promise<readonly string[]> {
  const wanted = Math.max(1, Math.min(lines, TAIL_LIMIT));
  const query = { container: NAMES.container, tailLines: String(wanted) };
  const path = `${resourcePath('Pod', namespace, pod)}/log`;
  try {
    const output = await text(await api.open(path, query, AbortSignal.timeout(TAIL_MS)));
    return output.split('\n').filter((line, index, all) => line !== '' || index < all.length - 1);
  } catch (error) {
    // Its container was never made, or is gone.
    if (error instanceof ClusterRefusal && (error.status === 400 || error.status === 404)) return [];
    throw error;
  }
}

async function resume(api: ClusterApi, workload: Workload, signal: AbortSignal): Promise<Workload> {
  const doing = `Resuming ${workload.service} in ${workload.environment}`;
  try {
    signal.throwIfAborted();
    const place = placeOf(workload);
    const deployment = await api.get<DeploymentObject>(place);
    if (deployment === null) {
      throw new FairleadError('INSTALL_FAILED', `The deployment of ${workload.service} is gone; deploy or roll back`);
    }
    await api.merge(place, 'scale', { spec: { replicas: 1 } });
    const failure = await untilStarted(api, { place, buildId: workload.buildId }, { signal, onLine: () => undefined });
    if (failure !== null) throw new FairleadError('INSTALL_FAILED', `${doing}: ${failure}`);
    return await found(api, place, workload.buildId);
  } catch (error) {
    signal.throwIfAborted();
    throw clusterError(error, doing, 'INSTALL_FAILED');
  }
}
