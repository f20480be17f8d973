import type Docker from 'dockerode';
import { engineStatus } from './docker-client.ts';
import { labelFilter } from './labels.ts';
import { removeContainer, stopContainer } from './remove-container.ts';
import { removeNetworks } from './workload-network.ts';

const STOP_GRACE_SECONDS = 5;

/** Stops all running containers of a stack, all at once, and leaves them to be resumed. */
export async function stopStack(docker: Docker, stackId: string): Promise<void> {
  const containers = await docker.listContainers({ filters: labelFilter(stackId) });
  await Promise.all(containers.map(({ Id: id }) => stopContainer(docker, id, STOP_GRACE_SECONDS)));
}

/** Removes whatever a stack has on the engine: containers, images, volumes and its network. No error for what is gone. */
export async function removeStack(docker: Docker, stackId: string): Promise<void> {
  const filters = labelFilter(stackId);
  const containers = await docker.listContainers({ all: true, filters });
  await Promise.all(containers.map(({ Id: id }) => removeContainer(docker, id, 0)));
  await removeImages(docker, stackId);
  await removeVolumes(docker, stackId);
  await removeNetworks(docker, stackId);
}

async function removeImages(docker: Docker, stackId: string): Promise<void> {
  for (const { Id: id } of await docker.listImages({ filters: labelFilter(stackId) })) {
    await unlessGone(() => docker.getImage(id).remove({ force: true }));
  }
}

/** Removes the volumes of a stack, which no container may use any more. */
export async function removeVolumes(docker: Docker, stackId: string): Promise<void> {
  const { Volumes } = await docker.listVolumes({ filters: labelFilter(stackId) });
  for (const { Name } of Volumes ?? []) await unlessGone(() => docker.getVolume(Name).remove());
}

async function unlessGone(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (engineStatus(error) !== 404) throw error;
  }
}
