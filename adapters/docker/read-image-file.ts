import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Docker from 'dockerode';
import { extract } from 'tar-stream';
import { FairleadError } from '../../domain/errors.ts';
import { engineError, engineMessage, engineStatus } from './docker-client.ts';
import { LABELS, labelFilter } from './labels.ts';
import { removeContainer } from './remove-container.ts';

export interface ReadImageFileOptions {
  readonly docker: Docker;
  readonly stackId: string;
  readonly onWarning: (message: string) => void;
}

const TASK = 'read-image';
/** From which age on such a container is one that a killed worker left. */
const LEFTOVER_SECONDS = 600;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** See `ImageBuilder.readText`. The engine shows files of containers alone, so it makes one of the image, which never starts. */
export async function readImageFile(
  tag: string,
  path: string,
  limitBytes: number,
  options: ReadImageFileOptions & { readonly signal: AbortSignal },
): Promise<string | null> {
  const { docker, stackId, signal } = options;
  signal.throwIfAborted();
  await removeLeftOver(options);
  try {
    const container = await docker.createContainer({
      ...{ Image: tag, Entrypoint: [], Cmd: ['-'] },
      Labels: { [LABELS.stack]: stackId, [LABELS.task]: TASK },
      HostConfig: { NetworkMode: 'none' },
    });
    try {
      return await readFrom(container, path, limitBytes, signal);
    } finally {
      await removeContainer(docker, container.id, 0);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (engineStatus(error) === 404) throw new FairleadError('NOT_FOUND', `There is no image ${tag}`, { cause: error });
    throw engineError(error, `Reading ${path} of ${tag}`, 'UNAVAILABLE', { retryable: true });
  }
}

async function readFrom(
  container: Docker.Container,
  path: string,
  limitBytes: number,
  signal: AbortSignal,
): Promise<string | null> {
  const archive = await container.getArchive({ path }).catch((error: unknown) => {
    if (engineStatus(error) === 404) return null;
    throw error;
  });
  if (archive === null) return null;
  const unpacked = extract();
  const chunks: Buffer[] = [];
  let isThere = false;
  let tooLarge: FairleadError | null = null;
  unpacked.on('entry', (header, content, next) => {
    const isFile = header.type === 'file' && header.name === posix.basename(path);
    content.on('error', () => {});
    if (isFile && (header.size ?? 0) > limitBytes) {
      tooLarge = new FairleadError('PAYLOAD_TOO_LARGE', `${path} has more than ${limitBytes} bytes`);
      next(tooLarge);
      return;
    }
    isThere ||= isFile;
    content.on('data', (chunk: unknown) => {
      if (isFile && Buffer.isBuffer(chunk)) chunks.push(chunk);
    });
    content.on('end', next);
    content.resume();
  });
  await pipeline(archive as Readable, unpacked, { signal }).catch((error: unknown) => {
    throw tooLarge ?? error;
  });
  return isThere ? textOf(Buffer.concat(chunks), path) : null;
}

function textOf(bytes: Uint8Array, path: string): string {
  try {
    return UTF8.decode(bytes);
  } catch (error) {
    const what = `${path} is no text: it has bytes that are no UTF-8`;
    throw new FairleadError('UNSUPPORTED_MEDIA_TYPE', what, { cause: error });
  }
}

async function removeLeftOver({ docker, stackId, onWarning }: ReadImageFileOptions): Promise<void> {
  try {
    const left = await docker.listContainers({ all: true, filters: labelFilter(stackId, { [LABELS.task]: TASK }) });
    const before = Date.now() / 1_000 - LEFTOVER_SECONDS;
    for (const { Id: id, Created } of left) if (Created <= before) await removeContainer(docker, id, 0);
  } catch (error) {
    onWarning(`Containers of killed readers of images stay: ${engineMessage(error)}`);
  }
}
