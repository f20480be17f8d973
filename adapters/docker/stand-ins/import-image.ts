import type Docker from 'dockerode';
import { parseImageName } from '../image-name.ts';
import { followProgress } from '../progress.ts';
import { archiveRoot, type RootEntry } from './root-archive.ts';

export interface ImageContent {
  readonly name: string;
  readonly entries: readonly RootEntry[];
  /** Instructions of a container file that set configuration: ENV, CMD, LABEL, … */
  readonly config: readonly string[];
  readonly signal: AbortSignal;
}

/** Makes a one-layer image by streaming its root folder to the engine; it has its name only once it is whole. */
export async function importImage(docker: Docker, content: ImageContent): Promise<void> {
  const { repository, tag } = parseImageName(content.name);
  const { stream, done } = archiveRoot(content.entries);
  const query = { repo: repository, tag, changes: content.config, abortSignal: content.signal };
  const [progress] = await Promise.all([docker.importImage(stream, query), done]);
  await followProgress(progress, content.signal, () => undefined);
}

/** Gives an image one more name. */
export async function tagImage(docker: Docker, from: string, name: string): Promise<void> {
  const { repository, tag } = parseImageName(name);
  await docker.getImage(from).tag({ repo: repository, tag });
}
