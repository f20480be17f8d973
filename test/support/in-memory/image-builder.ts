import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { externalImages } from '../../../adapters/docker/external-images.ts';
import { untagged } from '../../../adapters/docker/push-image.ts';
import { BASE_IMAGES, NODE_IMAGES } from '../../../domain/deploys/container-file/base-images.ts';
import type { BuiltImage, ImageBuilder, ImageBuildInput } from '../../../domain/deploys/image-builder.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { runContainerFile } from './container-file-run.ts';
import type { FileTree } from './file-tree.ts';
import { healthyProgram, type InMemoryRegistry, type Program } from './image-registry.ts';

export interface InMemoryImageBuilderOptions {
  readonly files: FileTree;
  readonly registry: InMemoryRegistry;
  /** Images that container files may build on, besides those of this machine. */
  readonly baseImages?: readonly string[];
  /** Files that RUN instructions make in an image, by absolute path. */
  readonly madeFiles?: (input: ImageBuildInput) => Readonly<Record<string, string>>;
  /** What images run; healthy services unless it says otherwise. */
  readonly programOf?: (input: ImageBuildInput) => Program;
  /** Registry hosts that do not answer. */
  readonly hostsDown?: ReadonlySet<string>;
  readonly freeBytes?: () => number;
}

interface Image {
  readonly madeBy: Omit<BuiltImage, 'names'>;
  readonly imageId: string;
  readonly sizeBytes: number;
  readonly program: Program;
  readonly files: ReadonlyMap<string, string>;
  digest: string | null;
}

const MACHINE_IMAGES: readonly string[] = [
  ...['alpine', 'busybox', BASE_IMAGES.nginx],
  ...NODE_IMAGES.map(({ image }) => image),
];
const PLENTY_BYTES = 1024 ** 4;

/** Builds images of the file tree of this process, and pushes them to its registry. */
export function createInMemoryImageBuilder(options: InMemoryImageBuilderOptions): ImageBuilder {
  const { files, registry, hostsDown = new Set(), freeBytes = () => PLENTY_BYTES } = options;
  const images = new Map<string, Image>();
  return {
    mounts: true,
    async build(input, { signal, onLine }) {
      signal.throwIfAborted();
      const text = containerFileOf(files, input.dockerfile);
      requireBaseImages(text, options);
      const exists = (path: string) => files.real(posix.join(input.contextDirectory, path)) !== null;
      await runContainerFile({ text, exists, onLine: (line) => onLine(line), signal });
      const image = imageOf(input, text, { ...options, programOf: options.programOf ?? (() => healthyProgram) });
      images.set(input.tag, image);
      return { imageId: image.imageId };
    },
    async readText(tag, path, limitBytes, signal) {
      signal.throwIfAborted();
      const image = images.get(tag);
      if (image === undefined) throw new FairleadError('NOT_FOUND', `There is no image ${tag}`);
      const text = image.files.get(path) ?? null;
      if (Buffer.byteLength(text ?? '') <= limitBytes) return text;
      throw new FairleadError('PAYLOAD_TOO_LARGE', `${path} has more than ${limitBytes} bytes`);
    },
    async push(tag, { signal, onLine }) {
      signal.throwIfAborted();
      const image = images.get(tag);
      if (image === undefined) throw new FairleadError('IMAGE_PUSH_FAILED', `Pushing ${tag}: there is no such image`);
      if (hostsDown.has(tag.split('/')[0] ?? '')) {
        throw new FairleadError('IMAGE_PUSH_FAILED', `Pushing ${tag}: no answer`, { retryable: true });
      }
      image.digest = `${untagged(tag)}@${image.imageId}`;
      registry.put(image.digest, image.program);
      onLine(`${tag}: Pushed`);
      return { digest: image.digest };
    },
    async prune(isNeeded, signal) {
      const removed: string[] = [];
      let reclaimedBytes = 0;
      for (const [tag, { digest, sizeBytes, madeBy }] of images) {
        signal.throwIfAborted();
        if (await isNeeded({ ...madeBy, names: digest === null ? [tag] : [tag, digest] })) continue;
        images.delete(tag);
        removed.push(tag);
        reclaimedBytes += sizeBytes;
      }
      return { removed, reclaimedBytes };
    },
    freeBytes: async () => freeBytes(),
  };
}

function containerFileOf(files: FileTree, path: string): string {
  const entry = files.at(path);
  if (entry?.kind === 'file') return entry.text;
  throw new FairleadError('CONTAINER_FILE_MISSING', `Container file ${path} could not be read`);
}

function requireBaseImages(text: string, { baseImages = [] }: InMemoryImageBuilderOptions): void {
  const missing = externalImages(text).find((name) => ![...MACHINE_IMAGES, ...baseImages].includes(name));
  if (missing === undefined) return;
  const message = `Base image ${missing} is not on this machine and could not be pulled`;
  throw new FairleadError('BASE_IMAGE_UNAVAILABLE', message, { details: { image: missing } });
}

/** Named by its content, so that the same input gives the same image. */
function imageOf(
  input: ImageBuildInput,
  text: string,
  { files, programOf, madeFiles }: InMemoryImageBuilderOptions & { programOf: (input: ImageBuildInput) => Program },
): Image {
  const content = files.below(input.contextDirectory).map((path) => [path, files.at(path)]);
  const made = JSON.stringify([text, content, input.labels, input.buildId]);
  const imageId = `sha256:${createHash('sha256').update(made).digest('hex')}`;
  const { buildId, service, environment } = input;
  const inImage = new Map([
    ...copiedFiles(files, input.contextDirectory, text),
    ...Object.entries(madeFiles?.(input) ?? {}),
  ]);
  const madeBy = { buildId, service, environment };
  return { madeBy, imageId, sizeBytes: made.length, program: programOf(input), files: inImage, digest: null };
}

/** Single files that the last stage copies out of the context to a path of their own. */
function copiedFiles(files: FileTree, context: string, text: string): readonly (readonly [string, string])[] {
  const last = text.split(/^(?=FROM )/m).at(-1) ?? '';
  return [...last.matchAll(/^COPY ([^-\s]\S*) (\/\S*[^/\s])$/gm)].flatMap(([, source = '', target = '']) => {
    const entry = files.at(posix.join(context, source));
    return entry?.kind === 'file' ? [[target, entry.text] as const] : [];
  });
}
