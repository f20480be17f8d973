/** How a workload is, as the runtime tells at one moment. */
export interface WorkloadMeasure {
  /** `restarting`: its process ended, and is started again. */
  readonly status: WorkloadStatus;
  /** When its process last started, or ended; null for one that never started. */
  readonly since: Date | null;
  /** How often its process was started again. */
  readonly restarts: number;
  /** True when its process was last killed because it used more memory than its tier has. */
  readonly outOfMemory: boolean;
  /** Null where it does not run, or the runtime does not tell. */
  readonly usage: WorkloadUsage | null;
}

export const WORKLOAD_STATUSES = ['running', 'restarting', 'stopped'] as const;

export type WorkloadStatus = (typeof WORKLOAD_STATUSES)[number];

export interface WorkloadUsage {
  /** Without files that the machine would drop when it needs the memory. */
  readonly memoryBytes: number;
  readonly memoryLimitBytes: number | null;
  /** CPU time that its processes have used since they started, in milliseconds. */
  readonly cpuUsedMs: number;
  readonly cpuLimitMillis: number | null;
}

/** What the worker last noted of a workload. */
export interface WorkloadState extends WorkloadMeasure {
  /** The build that started it: each starts one. */
  readonly buildId: string;
  /** CPU in milli-cores, the mean since the measurement before; null for the first of a process. */
  readonly cpuMillis: number | null;
  /** What its health endpoint answered; null where it does not run. */
  readonly health: WorkloadHealth | null;
  readonly measuredAt: Date;
}

export interface WorkloadHealth {
  readonly ok: boolean;
  /** HTTP status; null when nothing answered. */
  readonly status: number | null;
  /** Path that was asked. */
  readonly path: string;
}

/** How long a state is shown: nobody measures a workload that is gone. */
export const STATE_KEPT_SECONDS = 3_600;

/** Two measurements that are closer say little of the mean between them. */
const SHORTEST_MS = 1_000;

/** The mean CPU between two measurements of one process, in milli-cores; null where there is none. */
export function meanCpuMillis(
  before: Pick<WorkloadState, 'since' | 'usage' | 'measuredAt'> | null,
  { since, usage }: WorkloadMeasure,
  now: Date,
): number | null {
  if (before === null || before.usage === null || usage === null) return null;
  const elapsedMs = now.getTime() - before.measuredAt.getTime();
  const usedMs = usage.cpuUsedMs - before.usage.cpuUsedMs;
  const isSameProcess = before.since?.getTime() === since?.getTime();
  return !isSameProcess || usedMs < 0 || elapsedMs < SHORTEST_MS ? null : Math.round((usedMs / elapsedMs) * 1_000);
}
