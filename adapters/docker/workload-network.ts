import type Docker from 'dockerode';
import { engineError, engineStatus } from './docker-client.ts';
import { LABELS, labelFilter } from './labels.ts';
import { networkName } from './workload-names.ts';

interface FoundNetwork {
  readonly Id: string;
  readonly Name: string;
  readonly Created: string;
}

/**
 * The name of the stack's bridge network, made when it is missing: containers on it do not reach each other, only the
 * outside. Callers of one process go one after the other; when another process makes the network at the same moment, the older
 * one (or the one in use) stays and the other goes, because engines before 25 allow two of one name and then start no
 * container on either.
 * @throws UNAVAILABLE when the engine refuses: on its default network containers would reach each other
 */
export async function ensureNetwork(docker: Docker, stackId: string): Promise<string> {
  const name = networkName(stackId);
  const found = await stackNetworks(docker, stackId);
  if (found.length === 0) {
    try {
      await createNetwork(docker, stackId, name);
    } catch (error) {
      if ((await stackNetworks(docker, stackId)).length === 0) {
        const text = `The network ${name} of workloads could not be made (docker network prune removes unused ones)`;
        throw engineError(error, text, 'UNAVAILABLE', { retryable: true });
      }
    }
  }
  await keepOne(docker, found.length === 0 ? await stackNetworks(docker, stackId) : found);
  return name;
}

/** Removes the newest networks until one is left; one with containers on it stays. */
async function keepOne(docker: Docker, networks: readonly FoundNetwork[]): Promise<void> {
  let left = networks.length;
  for (const { Id } of networks.toReversed()) {
    if (left === 1) return;
    if (await removeUnused(docker, Id)) left -= 1;
  }
}

async function removeUnused(docker: Docker, id: string): Promise<boolean> {
  try {
    await removeNetwork(docker, id);
    return true;
  } catch (error) {
    if (engineStatus(error) === 403) return false;
    throw error;
  }
}

/** True for the engine's words about two networks of one name, which lasts until one of their makers removes its own. */
export function saysNetworkAmbiguous(message: string): boolean {
  return /network \S+ is ambiguous/i.test(message);
}

/** Removes every network of a stack. No error for what is gone. */
export async function removeNetworks(docker: Docker, stackId: string): Promise<void> {
  for (const { Id } of await stackNetworks(docker, stackId)) await removeNetwork(docker, Id);
}

async function createNetwork(docker: Docker, stackId: string, name: string): Promise<void> {
  await docker.createNetwork({
    Name: name,
    Driver: 'bridge',
    // A request, not a promise: two at the same moment both succeed.
    CheckDuplicate: true,
    Labels: { [LABELS.stack]: stackId },
    Options: { 'com.docker.network.bridge.enable_icc': 'false' },
  });
}

/** Oldest first, so that all who look keep the same one. */
export async function stackNetworks(docker: Docker, stackId: string): Promise<readonly FoundNetwork[]> {
  const networks: readonly FoundNetwork[] = await docker.listNetworks({ filters: labelFilter(stackId) });
  return networks
    .filter(({ Name }) => Name === networkName(stackId))
    .toSorted((a, b) => Date.parse(a.Created) - Date.parse(b.Created) || (a.Id < b.Id ? -1 : 1));
}

async function removeNetwork(docker: Docker, id: string): Promise<void> {
  try {
    await docker.getNetwork(id).remove();
  } catch (error) {
    if (engineStatus(error) !== 404) throw error;
  }
}
