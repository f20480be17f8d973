import type Docker from 'dockerode';
import type { ContainerInspectInfo } from 'dockerode';
import type { Clock } from '../../domain/clock.ts';
import { environmentOfLabel } from '../../domain/deploys/environment-label.ts';
import type { Workload, WorkloadRuntime } from '../../domain/deploys/workload-runtime.ts';
import { createMutex } from '../../domain/mutex.ts';
import { probeHttp } from '../http-probe/probe-http.ts';
import { applyCpuLimit } from './apply-cpu-limit.ts';
import { explainEnd, isContainerAlive } from './container-state.ts';
import { engineError, engineStatus } from './docker-client.ts';
import { createEngineInfo } from './engine-info.ts';
import { followOutput } from './follow-output.ts';
import { createHostPorts } from './host-port.ts';
import { inspectContainer } from './inspect-container.ts';
import { LABELS, labelFilter } from './labels.ts';
import { listeningSockets } from './listening-sockets.ts';
import { lastLogLines } from './log-frames.ts';
import { measureContainer } from './measure-container.ts';
import type { RegistryAuth } from './registry-auth.ts';
import { isDependencyAddress } from './relay/dependency-routes.ts';
import type { PlatformAccess } from './relay/platform-access.ts';
import { hasItsNetwork, relayIdOf, removeRelay } from './relay/relay-container.ts';
import { removeContainer } from './remove-container.ts';
import { resumeWorkload } from './resume-workload.ts';
import { createSharedRun } from './shared-run.ts';
import { type StartOptions, startWorkload } from './start-workload.ts';
import type { WorkloadFirewall } from './workload-firewall.ts';
import { containerName, networkName } from './workload-names.ts';
import { ensureNetwork } from './workload-network.ts';

export interface WorkloadRuntimeOptions {
  readonly docker: Docker;
  /** Label value that separates stacks on one engine. */
  readonly stackId: string;
  /** Where images are pulled from when the engine does not have them. */
  readonly registry: RegistryAuth;
  readonly now: Clock;
  /** How workloads reach a platform that listens on this machine's loopback alone; default: not at all. */
  readonly platform?: PlatformAccess | null;
  /** Keeps workloads from this machine and from inner networks; default: nothing does. */
  readonly firewall?: WorkloadFirewall | null;
}

const TAIL_LIMIT = 1_000;
const RENEW_MS = 30_000;
const NO_FIREWALL =
  'The firewall that keeps workloads from this machine could not be set, so none starts (run "iptables -S" as root to see what refuses)';

/** The workload runtime on a Docker engine: one container for each build that was installed. */
export function createWorkloadRuntime(options: WorkloadRuntimeOptions): WorkloadRuntime {
  const { docker, stackId, now } = options;
  const exclusive = createMutex();
  const protect = createSharedRun(async (): Promise<void> => {
    try {
      await options.firewall?.renew(AbortSignal.timeout(RENEW_MS));
    } catch (error) {
      throw engineError(error, NO_FIREWALL, 'UNAVAILABLE', { retryable: true });
    }
  });
  const started: StartOptions = {
    ...options,
    platform: options.platform ?? null,
    ports: createHostPorts(docker),
    engineInfo: createEngineInfo(docker),
    gate: options.firewall?.gate ?? null,
    network: async () => {
      const name = await exclusive(networkName(stackId), () => ensureNetwork(docker, stackId));
      await protect();
      return name;
    },
  };
  return {
    start: (spec, context) =>
      exclusive(containerName(stackId, spec), async () => toWorkload(await startWorkload(spec, context, started))),
    probe: (workload, healthEndpoint, signal) => probeHttp({ address: workload.address, path: healthEndpoint }, signal),
    applyCpuLimit: (workload) =>
      asking('Setting the CPU limit of a container', () => applyCpuLimit(docker, workload.id)),
    isAlive: (workload) =>
      asking('Asking for a container', async () => {
        const container = await inspectContainer(docker, workload.id);
        if (container === null || !isContainerAlive(container, now().getTime())) return false;
        return container.State.Restarting || (await hasItsNetwork(docker, container));
      }),
    measure: (workload) => asking('Measuring a container', () => measureContainer(docker, workload.id)),
    listening: (workload) =>
      asking('Looking for the ports of a container', async () => {
        const container = await inspectContainer(docker, workload.id);
        if (container === null || !container.State.Running) return null;
        const sockets = await listeningSockets(docker, container);
        // What it shares its network with listens there as well.
        const relayed = relayIdOf(container) === null ? [] : relayPorts(container, options.platform?.ports ?? []);
        return sockets?.filter(({ host, port }) => !relayed.includes(port) && !isDependencyAddress(host)) ?? null;
      }),
    variables: (workload) =>
      asking('Reading the variables of a container', async () => {
        const container = await inspectContainer(docker, workload.id);
        return container === null ? null : variablesOf(container.Config.Env ?? []);
      }),
    tail: (workload, lines) => asking('Reading the output of a container', () => tail(docker, workload, lines)),
    follow: (workload, options) => followOutput(docker, workload.id, options),
    list: (service, environment) =>
      listWorkloads(docker, stackId, { [LABELS.service]: service, [LABELS.environment]: environment }),
    listAll: () => listWorkloads(docker, stackId, {}),
    protect,
    resume: async (workload, signal) => {
      // It may be the first to start after a reboot.
      await protect();
      return toWorkload(await resumeWorkload(workload, signal, started));
    },
    remove: (workload, graceSeconds) =>
      asking('Removing a container', async () => {
        await removeContainer(docker, workload.id, graceSeconds);
        await removeRelay(docker, stackId, workload);
      }),
  };
}

/** Ports at which the relay of a workload listens, at addresses where its program may listen too. */
function relayPorts({ Config: { Labels } }: ContainerInspectInfo, ofPlatform: readonly number[]): readonly number[] {
  const published = Labels[LABELS.publishedPort];
  return published === Labels[LABELS.port] ? ofPlatform : [...ofPlatform, Number(published)];
}

/** The last lines of a container's output and, when its process ended, one line on how. */
async function tail(docker: Docker, workload: Workload, lines: number): Promise<readonly string[]> {
  const container = await inspectContainer(docker, workload.id);
  if (container === null) return ['The container is gone.'];
  const wanted = Math.max(1, Math.min(lines, TAIL_LIMIT));
  const frames = await docker
    .getContainer(workload.id)
    .logs({ stdout: true, stderr: true, follow: false, tail: wanted + 1 })
    .catch((error: unknown) => {
      if (engineStatus(error) === 404) return Buffer.alloc(0);
      throw error;
    });
  const output = lastLogLines(frames, wanted);
  const end = explainEnd(container);
  return end === null ? output : [...output, end];
}

/** `NAME=value`, of which the value may hold `=` as well. */
function variablesOf(env: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    env.map((line) => {
      const [name = ''] = line.split('=', 1);
      return [name, line.slice(name.length + 1)];
    }),
  );
}

async function listWorkloads(
  docker: Docker,
  stackId: string,
  labels: Readonly<Record<string, string>>,
): Promise<readonly Workload[]> {
  const containers = await asking('Listing containers', () =>
    docker.listContainers({ all: true, filters: labelFilter(stackId, labels) }),
  );
  return containers
    .filter((container) => container.Labels[LABELS.hostPort] !== undefined)
    .sort((a, b) => b.Created - a.Created)
    .map((container) => workloadOf(container.Id, container.Labels, container.State === 'running'));
}

function toWorkload(container: ContainerInspectInfo): Workload {
  return workloadOf(container.Id, container.Config.Labels, container.State.Running && !container.State.Restarting);
}

function workloadOf(id: string, labels: Readonly<Record<string, string>>, running: boolean): Workload {
  return {
    id,
    buildId: labels[LABELS.build] ?? '',
    releaseId: labels[LABELS.release] ?? '',
    service: labels[LABELS.service] ?? '',
    environment: environmentOfLabel(labels[LABELS.environment], `Container ${id}`),
    running,
    address: `http://127.0.0.1:${labels[LABELS.hostPort]}`,
  };
}

async function asking<T>(doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw engineError(error, doing, 'UNAVAILABLE', { retryable: true });
  }
}
