import type Docker from 'dockerode';
import type { ContainerInspectInfo } from 'dockerode';
import { engineStatus } from './docker-client.ts';

/** A container's facts by name or id; null when there is none. */
export async function inspectContainer(docker: Docker, id: string): Promise<ContainerInspectInfo | null> {
  try {
    return await docker.getContainer(id).inspect();
  } catch (error) {
    if (engineStatus(error) === 404) return null;
    throw error;
  }
}
