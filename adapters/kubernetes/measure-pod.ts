import { json } from 'node:stream/consumers';
import { z } from 'zod';
import type { WorkloadMeasure, WorkloadUsage } from '../../domain/deploys/workload-state.ts';
import type { ClusterApi } from './cluster-api.ts';
import type { DeploymentObject, LivePod } from './cluster-objects.ts';
import { bytesOfQuantity, millisOfQuantity } from './quantities.ts';
import { lastEnd, restartsOf } from './rollout-failures.ts';

const TIMEOUT_MS = 10_000;

const summarySchema = z.object({
  pods: z.array(
    z.object({
      podRef: z.object({ name: z.string(), namespace: z.string() }),
      cpu: z.object({ usageCoreNanoSeconds: z.number().optional() }).optional(),
      memory: z.object({ time: z.string(), workingSetBytes: z.number().optional() }).optional(),
    }),
  ),
});

/** How the newest pod of a workload is, and what it uses. */
export async function measurePod(
  api: Pick<ClusterApi, 'open'>,
  deployment: DeploymentObject,
  pod: LivePod | undefined,
): Promise<WorkloadMeasure> {
  const container = pod?.status?.containerStatuses?.[0];
  const running = container?.state?.running;
  if (pod === undefined || deployment.spec.replicas === 0) {
    return { status: 'stopped', since: endOf(deployment, pod), restarts: 0, outOfMemory: false, usage: null };
  }
  const end = lastEnd(pod);
  return {
    status: running === undefined ? 'restarting' : 'running',
    since: dateOf(running === undefined ? end?.finishedAt : running.startedAt),
    restarts: restartsOf(pod),
    outOfMemory: end?.reason === 'OOMKilled',
    usage: running === undefined ? null : await usageOf(api, deployment, pod),
  };
}

/** A pod that was removed has taken the time of its end with it: the deployment knows when it was told. */
function endOf({ metadata, status }: DeploymentObject, pod: LivePod | undefined): Date | null {
  const ended = pod === undefined ? undefined : lastEnd(pod)?.finishedAt;
  const times = (status?.conditions ?? []).map(
    (condition) => (condition as { lastUpdateTime?: string }).lastUpdateTime ?? '',
  );
  return dateOf(ended ?? times.toSorted().at(-1) ?? metadata.creationTimestamp);
}

function dateOf(time: unknown): Date | null {
  const date = new Date(String(time ?? ''));
  return Number.isNaN(date.getTime()) ? null : date;
}

/** When its process has started at the latest: the cluster leaves the parts of a second out. A pod is measured before as well. */
function startedBy({ status }: LivePod): number {
  return (dateOf(status?.containerStatuses?.[0]?.state?.running?.startedAt)?.getTime() ?? 0) + 1_000;
}

/** By the kubelet of its node, which needs nothing installed; null where our user may not ask it, or it has not measured yet. */
async function usageOf(
  api: Pick<ClusterApi, 'open'>,
  { spec }: DeploymentObject,
  pod: LivePod,
): Promise<WorkloadUsage | null> {
  try {
    const node = pod.spec?.nodeName ?? '';
    const path = `/api/v1/nodes/${encodeURIComponent(node)}/proxy/stats/summary`;
    const summary = summarySchema.parse(await json(await api.open(path, {}, AbortSignal.timeout(TIMEOUT_MS))));
    const { name, namespace } = pod.metadata;
    const found = summary.pods.find(({ podRef }) => podRef.name === name && podRef.namespace === namespace);
    const { cpu, memory } = found ?? {};
    if (memory?.workingSetBytes === undefined || cpu?.usageCoreNanoSeconds === undefined) return null;
    if (Date.parse(memory.time) < startedBy(pod)) return null;
    const limits = spec.template.spec.containers[0]?.resources?.limits ?? {};
    return {
      memoryBytes: memory.workingSetBytes,
      memoryLimitBytes: bytesOfQuantity(limits.memory),
      cpuUsedMs: Math.round(cpu.usageCoreNanoSeconds / 1e6),
      cpuLimitMillis: millisOfQuantity(limits.cpu),
    };
  } catch {
    // What a workload uses is shown where it can be; that it runs is known without it.
    return null;
  }
}
