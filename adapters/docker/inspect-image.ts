import type Docker from 'dockerode';
import type { ImageInspectInfo } from 'dockerode';
import { engineStatus } from './docker-client.ts';

/** An image's facts by name or id; null when the engine has none. */
export async function inspectImage(docker: Docker, name: string): Promise<ImageInspectInfo | null> {
  try {
    return await docker.getImage(name).inspect();
  } catch (error) {
    if (engineStatus(error) === 404) return null;
    throw error;
  }
}
