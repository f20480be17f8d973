/** What runs workloads. */
export const RUNTIMES = ['docker', 'kubernetes'] as const;

export type RuntimeName = (typeof RUNTIMES)[number];

/** In what runtimes differ. No step asks for it: plans show it, and the suite of the port holds each runtime to it. */
export interface RuntimeCapabilities {
  /** `separate`: each line of output is known as one of stdout or of stderr. `merged`: all count as of stdout. */
  readonly output: 'separate' | 'merged';
  /** `any`: of a variable's name nothing is asked. `ascii`: printable ASCII without `=`. */
  readonly variableNames: 'any' | 'ascii';
  /** Whether a workload may have more CPU than its tier until it is ready. */
  readonly fasterStart: boolean;
  /** Whether workloads reach services of the platform that listen on the loopback of its machine alone. */
  readonly reachesLoopback: boolean;
  /** Whether connections are forwarded to a program that listens on the loopback of its container alone. */
  readonly forwardsToLoopback: boolean;
}

export const RUNTIME_CAPABILITIES: Readonly<Record<RuntimeName, RuntimeCapabilities>> = {
  docker: {
    output: 'separate',
    variableNames: 'any',
    fasterStart: true,
    reachesLoopback: true,
    forwardsToLoopback: true,
  },
  kubernetes: {
    output: 'merged',
    variableNames: 'ascii',
    fasterStart: false,
    reachesLoopback: false,
    forwardsToLoopback: false,
  },
};

/** What a runtime does otherwise than the container engine, a sentence each. */
export function differencesOf({
  output,
  variableNames,
  fasterStart,
  reachesLoopback,
  forwardsToLoopback,
}: RuntimeCapabilities): readonly string[] {
  return [
    ...(output === 'merged' ? ['Logs do not tell stderr from stdout.'] : []),
    ...(variableNames === 'ascii' ? ['Names of variables have printable ASCII characters alone.'] : []),
    ...(fasterStart ? [] : ['The CPU limit of the tier holds while a workload starts as well.']),
    ...(reachesLoopback
      ? []
      : ['Workloads reach services of the platform at addresses that their nodes reach, and not on the loopback.']),
    ...(forwardsToLoopback ? [] : ['A service that listens on the loopback of its container alone is not reached.']),
  ];
}
