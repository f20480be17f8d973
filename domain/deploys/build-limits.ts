import { FairleadError } from '../errors.ts';

/** What the RUN instructions of a build may use. */
export interface BuildLimits {
  readonly ofBuild: { readonly processes: number; readonly memoryBytes: number };
  /** The same for all builds of an org together: what remains is that of other orgs. */
  readonly ofOrg: { readonly processes: number; readonly memoryBytes: number };
  /**
   * The same for all builds of a stack together: what remains is the platform's. The processes are more than all builds that
   * run at once may have, so that builds of some orgs never keep those of another from starting one.
   */
  readonly ofAllBuilds: { readonly processes: number; readonly memoryBytes: number };
  /** What one build may write: its layers, and the caches that it mounts. */
  readonly diskBytes: number;
}

export type BuildLimit = 'processes' | 'memory' | 'disk';

export interface BuildLimitSettings {
  readonly processes: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  /** How many builds may run at once: see `mostBuilds`. */
  readonly builds: number;
}

/** Of the machine's memory, for all builds together. */
const MEMORY_SHARE = 0.75;
/** Of that, for all builds of an org; one build may have what it may have alone. */
const ORG_SHARE = 0.5;
/** Builds of an org that may reach their limit of processes at the same time. */
const BUILDS_OF_ORG_AT_LIMIT = 2;
/** Part of a limit: who had as many processes has reached it. */
const REACHED = 0.9;

export function buildLimits(settings: BuildLimitSettings, machineBytes: number): BuildLimits {
  const shared = Math.floor(machineBytes * MEMORY_SHARE);
  const { processes, diskBytes, builds } = settings;
  const memoryBytes = Math.min(settings.memoryBytes, shared);
  return {
    ofBuild: { processes, memoryBytes },
    ofOrg: {
      processes: processes * BUILDS_OF_ORG_AT_LIMIT,
      memoryBytes: Math.max(memoryBytes, Math.floor(shared * ORG_SHARE)),
    },
    ofAllBuilds: { processes: processes * (builds + 1), memoryBytes: shared },
    diskBytes,
  };
}

/** What the counters of the control groups of a build and of its org show. */
export interface BuildCounts {
  /** How often the build was refused a process, by whichever limit of this machine. */
  readonly refusedForks: number;
  /** How many processes of the build were killed for want of memory, by whichever limit of this machine. */
  readonly memoryKills: number;
  /** Whether the build's own limit of memory, or its org's, refused memory when that happened; true where the kernel does not say. */
  readonly wasMemoryRefused: boolean;
  /** The most processes that the build had at once, and all builds of its org together; null where the kernel does not say. */
  readonly mostProcesses: number | null;
  readonly mostOfOrg: number | null;
}

/**
 * The limit that a build exceeded; null when it kept them all. A kernel counts a refusal at the group of who asked, whoever
 * took the last process: it is the build's own fault where the build, or its org, has reached its limit. Where the kernel does
 * not say how many there were, no other limit of the stack can be the one: see `ofAllBuilds`. Likewise with memory: while all
 * builds together have none left, the kernel kills the largest process among them, whoever took what there was.
 */
export function exceeds(
  counts: BuildCounts,
  { ofBuild, ofOrg }: Pick<BuildLimits, 'ofBuild' | 'ofOrg'>,
): BuildLimit | null {
  const { refusedForks, memoryKills, wasMemoryRefused, mostProcesses, mostOfOrg } = counts;
  // No limit refuses what is moved into a group.
  if (mostProcesses !== null && mostProcesses > ofBuild.processes) return 'processes';
  const isOwn = hasReached(mostProcesses, ofBuild.processes) || hasReached(mostOfOrg, ofOrg.processes);
  if (refusedForks > 0 && isOwn) return 'processes';
  return memoryKills > 0 && wasMemoryRefused ? 'memory' : null;
}

/** Whether so many processes are (nearly) as many as there may be; those that are unknown are. */
export function hasReached(processes: number | null, limit: number): boolean {
  return processes === null || processes >= REACHED * limit;
}

const gib = (bytes: number) => `${Math.round((bytes / 1024 ** 3) * 10) / 10} GiB`;

/** How a build that exceeded a limit is told, with the place of its instruction in the container file. */
export function limitExceeded(limit: BuildLimit, limits: BuildLimits, place: string): FairleadError {
  const { processes, memoryBytes } = limits.ofBuild;
  const [text, bound] = {
    processes: [
      `may have ${processes} processes at a time, those of all builds of an org ${limits.ofOrg.processes}: start fewer side by side`,
      processes,
    ] as const,
    memory: [
      `may use ${gib(memoryBytes)} of memory, those of all builds of an org ${gib(limits.ofOrg.memoryBytes)}: let it do less at a time`,
      memoryBytes,
    ] as const,
    disk: [`may write ${gib(limits.diskBytes)}: remove what it does not need`, limits.diskBytes] as const,
  }[limit];
  const message = `${place} exceeded a limit. The RUN instructions of a build ${text}.`;
  return new FairleadError('BUILD_LIMIT_EXCEEDED', message, { details: { limit, bound } });
}

/** What builds together had none left of, though each of them kept its limits. */
export type BuildShortage = Exclude<BuildLimit, 'disk'>;

/** How a build is told that failed because of a shortage: it is tried again. */
export function machineShort(shortage: BuildShortage, place: string, words: string): FairleadError {
  const what = {
    processes: 'refused it a process',
    memory: 'had no memory left for all builds that ran',
  }[shortage];
  const message = `${place} failed while this machine ${what}, though the build kept its limits; it is tried again. It said: ${words}`;
  return new FairleadError('UNAVAILABLE', message, { retryable: true });
}
