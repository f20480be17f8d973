import type Docker from 'dockerode';
import { engineMessage, engineStatus } from './docker-client.ts';

/** What became of a name: it went, was gone before, or stays because a container or another image uses it. */
export type RemovedImage =
  | { readonly outcome: 'removed' | 'absent' }
  | { readonly outcome: 'in-use'; readonly reason: string };

/** Removes a name of an image, and the image with its last name. @throws the engine's error for any other refusal */
export async function removeImage(docker: Docker, name: string): Promise<RemovedImage> {
  try {
    await docker.getImage(name).remove();
    return { outcome: 'removed' };
  } catch (error) {
    if (engineStatus(error) === 404) return { outcome: 'absent' };
    if (engineStatus(error) === 409) return { outcome: 'in-use', reason: engineMessage(error) };
    throw error;
  }
}
