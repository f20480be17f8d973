import type { Workload } from '../../domain/deploys/workload-runtime.ts';
import { linesAfter, type OutputLine, type OutputPosition } from '../../domain/logs/output-line.ts';
import { followRuns, type ProcessRun } from '../follow-runs.ts';
import { type ClusterApi, ClusterRefusal, clusterError } from './cluster-api.ts';
import { type DeploymentObject, hasStarted, isRunning, type LivePod, placeOf, podsOf } from './cluster-objects.ts';
import { NAMES } from './names.ts';
import { createLineReader } from './output-lines.ts';
import { resourcePath } from './resources.ts';
import { restartsOf } from './rollout-failures.ts';

/** The node writes the time of a line before it puts the line in order. */
const MARGIN_MS = 5_000;

/**
 * Follows the output of a workload through restarts of its process and new pods, until it is removed. The node keeps the output
 * in files of its own, so a process waits for nobody who reads here. What a pod that is gone wrote is gone with it.
 */
export async function* followPods(
  api: ClusterApi,
  workload: Pick<Workload, 'id' | 'buildId'>,
  { after, signal }: { readonly after: OutputPosition; readonly signal: AbortSignal },
): AsyncGenerator<readonly OutputLine[]> {
  const place = placeOf(workload);
  const look = async (): Promise<ProcessRun | 'not started' | 'gone'> => {
    const deployment = await api.get<DeploymentObject>(place);
    if (deployment === null || deployment.metadata.deletionTimestamp !== undefined) return 'gone';
    const pod = newest((await podsOf(api, place, workload.buildId)).items);
    if (pod === undefined || !hasStarted(pod)) return 'not started';
    const runs = isRunning(pod);
    const run = `${pod.metadata.name} ${restartsOf(pod)} ${runs}`;
    return { run, isRunning: runs, read: (position) => readOutput(api, pod, { position, signal }) };
  };
  const failure = (error: unknown): Error => clusterError(error, 'Following the output of a workload');
  yield* followRuns(look, { after, signal, failure });
}

/** The pod that was made last; of an update there are two for a moment. */
export function newest(pods: readonly LivePod[]): LivePod | undefined {
  const made = ({ metadata }: LivePod): string => metadata.creationTimestamp ?? '';
  return pods.toSorted((a, b) => (made(a) < made(b) ? 1 : -1))[0];
}

async function* readOutput(
  api: ClusterApi,
  { metadata: { namespace = '', name } }: LivePod,
  { position, signal }: { readonly position: OutputPosition; readonly signal: AbortSignal },
) {
  const known = Object.values(position).map((at) => Date.parse(at));
  const since = new Date(Math.max(0, Math.max(...known) - MARGIN_MS)).toISOString();
  const query = { container: NAMES.container, follow: 'true', timestamps: 'true' };
  const path = `${resourcePath('Pod', namespace, name)}/log`;
  try {
    const stream = await api.open(path, known.length === 0 ? query : { ...query, sinceTime: since }, signal);
    const reader = createLineReader();
    const newOf = linesAfter(position);
    for await (const piece of stream) {
      const lines = newOf(reader.read(piece as Buffer));
      if (lines.length > 0) yield lines;
    }
    const rest = newOf(reader.rest());
    if (rest.length > 0) yield rest;
  } catch (error) {
    // The pod is gone, or its container is made at this moment: the next look tells.
    if (!(error instanceof ClusterRefusal) || (error.status !== 404 && error.status !== 400)) throw error;
  }
}
