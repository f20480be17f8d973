import type { PodTier } from '../catalog/pod-tiers.ts';
import type { DatabaseEngine } from '../databases/engines.ts';
import type { Environment } from '../environment.ts';
import type { OutputLine, OutputPosition } from '../logs/output-line.ts';
import type { EffectContext } from './effect-context.ts';
import type { HealthRule } from './health.ts';
import type { ListeningSocket } from './listening.ts';
import type { WorkloadMeasure, WorkloadState } from './workload-state.ts';

/** What is kept free for a workload (spec 2, "Catalog file": cpu-request and memory-request). */
export interface ResourceRequests {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

export interface WorkloadSpec {
  /** The build that installs it: one workload for each build, so that a second attempt adopts the first one's. */
  readonly buildId: string;
  readonly releaseId: string;
  /** Org that owns the service: what its workloads get of the machine, they share. Null when the service is gone. */
  readonly org: string | null;
  readonly service: string;
  readonly environment: Environment;
  /** Digest reference. */
  readonly image: string;
  readonly port: number;
  /** It listens there on the loopback of its container alone, and connections have to be forwarded to it. */
  readonly onLoopback: boolean;
  readonly healthEndpoint: string;
  readonly healthRule: HealthRule;
  readonly tier: PodTier;
  /** What its catalog asks to have for it in any case; absent for what its tier says. */
  readonly requests?: ResourceRequests | undefined;
  /** Nothing but temporary folders is written to: the usual ones, those of the image's VOLUMEs and `writablePaths`. */
  readonly readOnlyRoot: boolean;
  /** Whole paths, or ones from the working folder of the image. */
  readonly writablePaths: readonly string[];
  /** The services that it may call by their addresses in its container, and no others that way. */
  readonly dependencies: readonly {
    readonly service: string;
    readonly serviceId?: string | undefined;
    readonly url: string;
  }[];
  /** The servers of its databases, at the addresses that its variables name. */
  readonly databases: readonly { readonly engine: DatabaseEngine; readonly host: string; readonly port: number }[];
  /** Environment variables, plaintext. Held in memory only. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Workload {
  readonly id: string;
  readonly buildId: string;
  readonly releaseId: string;
  readonly service: string;
  readonly environment: Environment;
  readonly running: boolean;
  /** Where the router reaches it, such as `http://127.0.0.1:20001`. */
  readonly address: string;
}

export interface ProbeResult {
  readonly ok: boolean;
  /** What was probed and what came back, for the build log: `GET http://…/health answered 503`. */
  readonly summary: string;
  readonly status: number | null;
  /** `commit` of a JSON answer; null when there is none. */
  readonly commit: string | null;
}

/** Runs workloads: the local Docker engine, or a Kubernetes cluster. */
export interface WorkloadRuntime {
  /**
   * Starts the workload, or finds the one this build has already started; one that is asked elsewhere is replaced. Traffic does not reach it yet. Until
   * `applyCpuLimit` it may have more CPU than its tier, so that it is ready sooner. @throws INSTALL_FAILED; HEALTH_CHECK_FAILED for one `onLoopback`
   * where nothing forwards to it; the abort reason
   */
  start(spec: WorkloadSpec, context: EffectContext): Promise<Workload>;
  /** One probe of the workload itself, not through the public route. */
  probe(workload: Workload, healthEndpoint: string, signal: AbortSignal): Promise<ProbeResult>;
  /**
   * Applies the CPU limit of its tier. Called once the workload is ready, before traffic reaches it.
   * Idempotent; no error when it is gone.
   */
  applyCpuLimit(workload: Workload): Promise<void>;
  /** False when it has stopped and will not start again by itself. */
  isAlive(workload: Workload): Promise<boolean>;
  /** How it is now, and what it uses; null when it is gone. */
  measure(workload: Workload): Promise<WorkloadMeasure | null>;
  /** The TCP sockets that listen in it; null where that cannot be found out. */
  listening(workload: Workload): Promise<readonly ListeningSocket[] | null>;
  /** The environment variables that it was started with, plaintext, held in memory only; null when it is gone. */
  variables(workload: Workload): Promise<Readonly<Record<string, string>> | null>;
  /** The last lines of its output. */
  tail(workload: Workload, lines: number): Promise<readonly string[]>;
  /**
   * Its output after a position, as far back as it is kept, and then as it is written, through restarts of its process.
   * Ends when the workload is removed or the signal aborts. It is read as fast as the caller takes it; a workload never
   * waits for that. Lines of one stream come in their order. @throws UNAVAILABLE, and another call goes on
   */
  follow(
    workload: Workload,
    options: { readonly after: OutputPosition; readonly signal: AbortSignal },
  ): AsyncIterable<readonly OutputLine[]>;
  /** Every workload of a service and environment, newest first. */
  list(service: string, environment: Environment): Promise<readonly Workload[]>;
  listAll(): Promise<readonly Workload[]>;
  /**
   * Renews what keeps workloads from the machine they run on, which its restart or another program may have taken away.
   * Idempotent. @throws UNAVAILABLE when it cannot
   */
  protect(): Promise<void>;
  /** Starts a stopped workload again and returns where it is now. @throws INSTALL_FAILED when it is gone, or the abort reason */
  resume(workload: Workload, signal: AbortSignal): Promise<Workload>;
  /** Lets requests in flight end, stops and removes it. No error when it is gone. */
  remove(workload: Workload, graceSeconds: number): Promise<void>;
}

/** What the worker noted of workloads, every minute; of one that was not measured for an hour, nothing. */
export interface WorkloadStates {
  /** The last one stays. */
  put(state: WorkloadState): Promise<void>;
  /** By the build that started it. */
  find(buildId: string): Promise<WorkloadState | null>;
}

/** Where a public route leads. */
export interface RouteTarget {
  /** The service that it is a route of: its name may be another one's later. Absent in routes of earlier versions. */
  readonly serviceId?: string | undefined;
  readonly workloadId: string;
  readonly address: string;
}

/**
 * The public routes. A switch is atomic: each request goes to the old workload or to the new one, never to none.
 * Comparing epochs and writing are one act: `route` and `unroute` throw CONFLICT, and change nothing, when the route was
 * set or taken away in a newer epoch. Routes of a name that can be no host name are refused as VALIDATION_FAILED.
 */
export interface EdgeRouter {
  /** The public address of a service, whether or not it is routed: `http://hello.sandbox.localhost:8000`. */
  url(service: string, environment: Environment): string;
  /** Every public address it has without a domain of its own; {@link url} first. In prod one without the environment too. */
  urls(service: string, environment: Environment): readonly string[];
  current(service: string, environment: Environment): Promise<RouteTarget | null>;
  route(service: string, environment: Environment, target: RouteTarget, epoch: number): Promise<void>;
  unroute(service: string, environment: Environment, epoch: number): Promise<void>;
  /** One request through the public route. */
  probe(service: string, environment: Environment, path: string, signal: AbortSignal): Promise<ProbeResult>;
}
