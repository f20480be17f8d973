import type Docker from 'dockerode';
import type { ImageInspectInfo } from 'dockerode';
import { z } from 'zod';
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

/** The client's types lack the field. */
const tagged = z.object({ Metadata: z.object({ LastTagTime: z.string() }) });

/** When an engine gave an image its name, in ms since the epoch; null when it does not tell. */
export function taggedAt(image: object): number | null {
  const { data } = tagged.safeParse(image);
  return Date.parse(data?.Metadata.LastTagTime ?? '') || null;
}
