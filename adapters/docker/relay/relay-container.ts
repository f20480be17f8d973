import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type Docker from 'dockerode';
import type { ContainerCreateOptions, ContainerInspectInfo } from 'dockerode';
import type { WorkloadSpec } from '../../../domain/deploys/ports.ts';
import { type ContainerFacts, networkOptions } from '../container-options.ts';
import { engineStatus } from '../docker-client.ts';
import { inspectContainer } from '../inspect-container.ts';
import { imageLabels } from '../labels.ts';
import { removeContainer } from '../remove-container.ts';
import { containerName, type WorkloadTarget } from '../workload-names.ts';
import type { PlatformAccess } from './platform-access.ts';

const PROGRAM = join(import.meta.dirname, 'relay-program.mjs');
const MOUNT = '/run/fairlead';
const MEMORY_BYTES = 64 * 1024 ** 2;
const USER = '1001:1001';
/** The loop outlives the program: with the container its network would go, which others are in. */
const LOOP = 'while :; do node --max-old-space-size=16 --jitless --input-type=module -e "$PROGRAM"; sleep 1; done';
const SHARED = 'container:';
/** `localhost` is both. */
const LOOPBACK = ['127.0.0.1', '::1'];

/** What every relay has: a container that leads from ports of its network to the socket of a proxy, and can do nothing else. */
export async function relayContainer(relay: {
  readonly image: string;
  readonly socket: string;
  readonly hosts: readonly string[];
  readonly ports: readonly number[];
}): Promise<ContainerCreateOptions> {
  const { image, socket, hosts, ports } = relay;
  return {
    Image: image,
    User: USER,
    Entrypoint: ['/bin/sh', '-c', LOOP],
    Env: [
      `HOSTS=${hosts.join(',')}`,
      `PORTS=${ports.join(',')}`,
      `SOCKET=${join(MOUNT, basename(socket))}`,
      `PROGRAM=${await readFile(PROGRAM, 'utf8')}`,
    ],
    HostConfig: {
      Binds: [`${dirname(socket)}:${MOUNT}:ro`],
      Memory: MEMORY_BYTES,
      MemorySwap: MEMORY_BYTES,
      PidsLimit: 32,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      ReadonlyRootfs: true,
      Init: true,
      RestartPolicy: { Name: 'unless-stopped' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1' } },
    },
  };
}

/**
 * The relay of a workload: it has the network which the workload joins, so that `localhost` is the same for both, and
 * outlives restarts of the workload's own process. It publishes the workload's port in its place.
 */
export async function relayOptions(
  spec: WorkloadSpec,
  facts: Pick<ContainerFacts, 'stackId' | 'network' | 'hostPort'>,
  relay: { readonly access: PlatformAccess; readonly ports: readonly number[]; readonly image: string },
): Promise<ContainerCreateOptions> {
  const { access, ports, image } = relay;
  const { HostConfig: network, ...exposed } = networkOptions(spec, facts);
  const { HostConfig, ...container } = await relayContainer({ image, socket: access.socket, hosts: LOOPBACK, ports });
  return {
    ...container,
    ...exposed,
    name: relayName(facts.stackId, spec),
    Labels: imageLabels(facts.stackId, spec),
    HostConfig: { ...HostConfig, ...network },
  };
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
