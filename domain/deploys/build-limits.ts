import { FairleadError } from '../errors.ts';

/** What the RUN instructions of a build may use. */
export interface BuildLimits {
  readonly ofBuild: { readonly processes: number; readonly memoryBytes: number };
  /** The same for all builds of a stack together: what remains is the platform's. */
  readonly ofAllBuilds: { readonly processes: number; readonly memoryBytes: number };
  /** What one build may write: its layers, and the caches that it mounts. */
  readonly diskBytes: number;
}

export type BuildLimit = 'processes' | 'memory' | 'disk';

export interface BuildLimitSettings {
  readonly processes: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
}

/** Of the machine's memory, for all builds together. */
const MEMORY_SHARE = 0.75;
/** Builds that may reach their limit of processes at the same time. */
const BUILDS_AT_LIMIT = 4;

export function buildLimits(settings: BuildLimitSettings, machineBytes: number): BuildLimits {
  const shared = Math.floor(machineBytes * MEMORY_SHARE);
  const { processes, diskBytes } = settings;
  return {
    ofBuild: { processes, memoryBytes: Math.min(settings.memoryBytes, shared) },
    ofAllBuilds: { processes: processes * BUILDS_AT_LIMIT, memoryBytes: shared },
    diskBytes,
  };
}

/** The limit that the counters of a build's control group show; null when they show none. */
export function exceeds(events: { readonly refusedForks: number; readonly memoryKills: number }): BuildLimit | null {
  if (events.refusedForks > 0) return 'processes';
  return events.memoryKills > 0 ? 'memory' : null;
}

const gib = (bytes: number) => `${Math.round((bytes / 1024 ** 3) * 10) / 10} GiB`;

/** How a build that exceeded a limit is told, with the place of its instruction in the container file. */
export function limitExceeded(limit: BuildLimit, limits: BuildLimits, place: string): FairleadError {
  const { processes, memoryBytes } = limits.ofBuild;
  const [text, bound] = {
    processes: [`may have ${processes} processes at a time: start fewer side by side`, processes] as const,
    memory: [`may use ${gib(memoryBytes)} of memory: let it do less at a time`, memoryBytes] as const,
    disk: [`may write ${gib(limits.diskBytes)}: remove what it does not need`, limits.diskBytes] as const,
  }[limit];
  const message = `${place} exceeded a limit. The RUN instructions of a build ${text}.`;
  return new FairleadError('BUILD_LIMIT_EXCEEDED', message, { details: { limit, bound } });
}
