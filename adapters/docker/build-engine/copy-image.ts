import type Docker from 'dockerode';
import { engineStatus } from '../docker-client.ts';
import { followProgress } from '../progress.ts';

/** Copies an image to another engine under the same name, unless that one has it. No error when the first has none. */
export async function copyImage(
  name: string,
  { from, to }: { readonly from: Docker; readonly to: Docker },
  signal: AbortSignal,
): Promise<void> {
  const [wanted, present] = await Promise.all([imageId(from, name), imageId(to, name)]);
  if (wanted === null || wanted === present) return;
  const archive = await from.getImage(name).get();
  await followProgress(await to.loadImage(archive), signal, () => undefined);
}

async function imageId(docker: Docker, name: string): Promise<string | null> {
  try {
    return (await docker.getImage(name).inspect()).Id;
  } catch (error) {
    if (engineStatus(error) === 404) return null;
    throw error;
  }
}
