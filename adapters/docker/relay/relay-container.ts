import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { ContainerCreateOptions, ContainerInspectInfo } from 'dockerode';
import type { WorkloadSpec } from '../../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type ContainerFacts, networkOptions, placeOptions, publishedPort } from '../container-options.ts';
import { engineStatus } from '../docker-client.ts';
import { inspectContainer } from '../inspect-container.ts';
import { imageLabels } from '../labels.ts';
import { decodeLogFrames } from '../log-frames.ts';
import { removeContainer } from '../remove-container.ts';
import { containerName, type WorkloadTarget } from '../workload-names.ts';
import type { DependencyRoutes } from './dependency-routes.ts';
import type { PlatformAccess } from './platform-access.ts';
import type { RelayRoute } from './relay-route.ts';

const PROGRAM = join(import.meta.dirname, 'relay-program.mjs');
const MOUNT = '/run/fairlead';
const MEMORY_BYTES = 64 * 1024 ** 2;
const USER = '1001:1001';
/** The loop outlives the program: with the container its network would go, which others are in. */
const LOOP = 'while :; do node --max-old-space-size=16 --jitless --input-type=module -e "$PROGRAM"; sleep 1; done';
const SHARED = 'container:';
/** `localhost` is both. */
export const LOOPBACK = ['127.0.0.1', '::1'] as const;

/** Of a workload: the proxies take a bounded number, which one workload alone must not use up. */
const CONNECTIONS_OF_WORKLOAD = 500;

const START_DEADLINE_MS = 30_000;
const LOOK_EVERY_MS = 50;
/** In the network of the relay alone. */
const ANY_PORT = { 'net.ipv4.ip_unprivileged_port_start': '0' };

/** What every relay has: a container that leads from ports of its network to sockets of proxies, and can do nothing else. */
export async function relayContainer(relay: {
  readonly image: string;
  /** Where the sockets are. */
  readonly folder: string;
  readonly routes: readonly RelayRoute[];
  /** For programs that know no proxy: the relay is their name server, and leads connections at these ports to the names. */
  readonly names?: { readonly socket: string; readonly ports: readonly number[] };
  /** Connections that one address of its network may have at once; default: any number. */
  readonly perClient?: number;
  /** Connections at once of all addresses; default: any number. */
  readonly connections?: number;
}): Promise<ContainerCreateOptions> {
  const { image, folder, routes, names, perClient, connections } = relay;
  const inside = <T extends { readonly socket: string }>(way: T): T => {
    return { ...way, socket: join(MOUNT, relative(folder, way.socket)) };
  };
  const insideRoutes = routes.map((route) => ('socket' in route ? inside(route) : route));
  return {
    Image: image,
    User: USER,
    Entrypoint: ['/bin/sh', '-c', LOOP],
    Env: [
      `ROUTES=${JSON.stringify(insideRoutes)}`,
      ...(names === undefined ? [] : [`NAMES=${JSON.stringify(inside(names))}`]),
      ...(perClient === undefined ? [] : [`PER_CLIENT=${perClient}`]),
      ...(connections === undefined ? [] : [`CONNECTIONS=${connections}`]),
      `PROGRAM=${await readFile(PROGRAM, 'utf8')}`,
    ],
    HostConfig: {
      Binds: [`${folder}:${MOUNT}:ro`],
      Memory: MEMORY_BYTES,
      MemorySwap: MEMORY_BYTES,
      PidsLimit: 32,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      ReadonlyRootfs: true,
      ...(names === undefined ? {} : { Sysctls: ANY_PORT }),
      Init: true,
      RestartPolicy: { Name: 'unless-stopped' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    },
  };
}

export type RelayFacts = Pick<ContainerFacts, 'stackId' | 'network' | 'hostPort' | 'group' | 'gate'>;

/**
 * The relay of a workload: it has the network which the workload joins, so that `localhost` is the same for both, and
 * outlives restarts of the workload's own process. It publishes the workload's port in its place, or one from which it leads to that. Its hosts
 * file is the workload's as well.
 */
export async function relayOptions(
  spec: WorkloadSpec,
  facts: RelayFacts,
  relay: {
    readonly access: PlatformAccess;
    readonly ports: readonly number[];
    readonly dependencies: DependencyRoutes;
    readonly image: string;
  },
): Promise<ContainerCreateOptions> {
  const { access, ports, dependencies, image } = relay;
  const { HostConfig: network, ...exposed } = networkOptions(spec, facts);
  const toPlatform = LOOPBACK.flatMap((host) => ports.map((port) => ({ host, port, socket: access.socket })));
  const routes = [...toPlatform, ...dependencies.routes, ...routesInward(spec)];
  const folder = dirname(access.socket);
  const { HostConfig, ...container } = await relayContainer({
    ...{ image, folder, routes, connections: CONNECTIONS_OF_WORKLOAD },
  });
  return {
    ...container,
    ...exposed,
    name: relayName(facts.stackId, spec),
    Labels: imageLabels(facts.stackId, spec),
    HostConfig: { ...HostConfig, ...network, ...placeOptions(facts), ExtraHosts: [...dependencies.hosts] },
  };
}

/** On every address of its network, the loopback's too: nothing else is at that port. */
function routesInward(spec: Pick<WorkloadSpec, 'port' | 'onLoopback'>): readonly RelayRoute[] {
  return spec.onLoopback ? [{ host: '0.0.0.0', port: publishedPort(spec), loopbackPort: spec.port }] : [];
}

export const relayName = (stackId: string, target: WorkloadTarget): string => `${containerName(stackId, target)}-relay`;

/** The relay whose network a workload shares; null for a workload that has its own. */
export function relayIdOf({ HostConfig }: Pick<ContainerInspectInfo, 'HostConfig'>): string | null {
  const mode = HostConfig.NetworkMode ?? '';
  return mode.startsWith(SHARED) ? mode.slice(SHARED.length) : null;
}

/** False when a workload has lost the network it shares: its relay is gone, or began a new one after the workload. */
export async function hasItsNetwork(docker: Docker, workload: ContainerInspectInfo): Promise<boolean> {
  const id = relayIdOf(workload);
  if (id === null) return true;
  const relay = await inspectContainer(docker, id);
  if (relay === null || !relay.State.Running) return false;
  return Date.parse(relay.State.StartedAt) <= Date.parse(workload.State.StartedAt);
}

/** Starts the relay of a stopped workload. No error when it runs. @throws errors of the engine */
export async function startRelay(docker: Docker, id: string): Promise<void> {
  try {
    await docker.getContainer(id).start();
  } catch (error) {
    if (engineStatus(error) !== 304) throw error;
  }
}

/** Removes the relay of a workload, if it has one. */
export async function removeRelay(docker: Docker, stackId: string, target: WorkloadTarget): Promise<void> {
  await removeContainer(docker, relayName(stackId, target), 0);
}

/** Waits until a relay takes connections, which its container does not tell. @throws UNAVAILABLE, or the abort reason */
export async function untilListening(container: Docker.Container, signal: AbortSignal): Promise<void> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(START_DEADLINE_MS)]);
  for (;;) {
    const said = decodeLogFrames(await container.logs({ stdout: true, stderr: true, follow: false, tail: 20 }));
    if (/^listening$/m.test(said)) return;
    if (deadline.aborted) {
      signal.throwIfAborted();
      const text = `The relay did not start within ${START_DEADLINE_MS / 1000} s: ${said.trim().slice(-300)}`;
      throw new FairleadError('UNAVAILABLE', text, { retryable: true });
    }
    await delay(LOOK_EVERY_MS);
  }
}
