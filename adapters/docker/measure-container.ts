import type Docker from 'dockerode';
import type { ContainerInspectInfo } from 'dockerode';
import { z } from 'zod';
import type { WorkloadMeasure, WorkloadUsage } from '../../domain/deploys/workload-state.ts';
import { engineStatus } from './docker-client.ts';
import { inspectContainer } from './inspect-container.ts';

const count = z.number().nonnegative();

/** What the engine's `stats` has that we read (docs.docker.com/reference/api/engine: ContainerStats). */
const statsSchema = z.object({
  cpu_stats: z.object({ cpu_usage: z.object({ total_usage: count }) }),
  memory_stats: z.object({
    usage: count,
    stats: z.object({ inactive_file: count.optional(), total_inactive_file: count.optional() }).optional(),
  }),
});

/** How a container is; null when it is gone. */
export async function measureContainer(docker: Docker, id: string): Promise<WorkloadMeasure | null> {
  const container = await inspectContainer(docker, id);
  if (container === null) return null;
  const { State: state, RestartCount: restarts } = container;
  const isRunning = state.Running && !state.Restarting;
  return {
    status: state.Restarting ? 'restarting' : isRunning ? 'running' : 'stopped',
    since: dateOf(isRunning ? state.StartedAt : state.FinishedAt),
    restarts,
    outOfMemory: state.OOMKilled,
    usage: isRunning ? await usageOf(docker, container) : null,
  };
}

/** One sample: the engine would wait a second for another one. Null when the container stopped meanwhile. */
async function usageOf(docker: Docker, container: ContainerInspectInfo): Promise<WorkloadUsage | null> {
  const once = { stream: false, 'one-shot': true } as const;
  const answer: unknown = await docker
    .getContainer(container.Id)
    .stats(once)
    .catch((error: unknown) => {
      if (engineStatus(error) === 404 || engineStatus(error) === 409) return null;
      throw error;
    });
  const read = statsSchema.safeParse(answer);
  if (!read.success) return null;
  const { cpu_stats: cpu, memory_stats: memory } = read.data;
  // As the engine's own client shows it, for both versions of cgroups.
  const droppable = memory.stats?.total_inactive_file ?? memory.stats?.inactive_file ?? 0;
  const { Memory: memoryLimit = 0, NanoCpus: nanoCpus = 0 } = container.HostConfig;
  return {
    memoryBytes: Math.max(memory.usage - droppable, 0),
    memoryLimitBytes: memoryLimit === 0 ? null : memoryLimit,
    cpuUsedMs: Math.round(cpu.cpu_usage.total_usage / 1e6),
    cpuLimitMillis: nanoCpus === 0 ? null : Math.round(nanoCpus / 1e6),
  };
}

/** The engine has the year 1 for what never was. */
function dateOf(text: string): Date | null {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1971 ? null : date;
}
