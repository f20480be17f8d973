import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { parseImageName } from '../docker/image-name.ts';
import { type RegistryAuth, registryHeaders, registryHost, registryOrigin } from '../docker/registry-auth.ts';

/** What an image says of itself, as far as its pods depend on it. */
export interface ImageFacts {
  /** Null where it names none, root, or a name. */
  readonly user: number | null;
  readonly group: number | null;
  /** Folders that its VOLUMEs name. */
  readonly volumes: readonly string[];
  /** Its WORKDIR; empty for `/`, and where it is not known. */
  readonly folder: string;
}

const UNKNOWN: ImageFacts = { user: null, group: null, volumes: [], folder: '' };
const TIMEOUT_MS = 10_000;

const MANIFEST_TYPES = [
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
].join(', ');

const manifestSchema = z.object({ config: z.object({ digest: z.string() }) });
const configSchema = z.object({
  config: z
    .object({
      User: z.string().default(''),
      Volumes: z.record(z.string(), z.unknown()).nullish(),
      WorkingDir: z.string().nullish(),
    })
    .nullish(),
});

/**
 * Reads what an image of our registry says of itself, by its digest. Of an image of another registry nothing is known, and the
 * cluster refuses one that runs as root.
 * @throws INSTALL_FAILED for an image that our registry does not have; UNAVAILABLE (retryable) where it does not answer
 */
export async function readImageFacts(image: string, registry: RegistryAuth, signal: AbortSignal): Promise<ImageFacts> {
  const { host, repository, digest } = parseImageName(image);
  if (host !== registryHost(registry) || digest === null) return UNKNOWN;
  const ask = (path: string) => get(`${registryOrigin(host)}/v2/${repository}/${path}`, registry, signal);
  const manifest = manifestSchema.safeParse(await ask(`manifests/${digest}`));
  // A list of images for several machines has no one configuration.
  if (!manifest.success) return UNKNOWN;
  const { config } = configSchema.parse(await ask(`blobs/${manifest.data.config.digest}`));
  return {
    ...userOf(config?.User ?? ''),
    volumes: Object.keys(config?.Volumes ?? {}),
    folder: config?.WorkingDir ?? '',
  };
}

/** `1001` or `1001:1001`; of anything else nothing. */
export function userOf(text: string): Pick<ImageFacts, 'user' | 'group'> {
  const [, user, group] = /^0*([1-9]\d*)(?::(\d+))?$/.exec(text) ?? [];
  if (user === undefined) return { user: null, group: null };
  return { user: Number(user), group: group === undefined ? null : Number(group) };
}

async function get(url: string, registry: RegistryAuth, signal: AbortSignal): Promise<unknown> {
  const headers = { accept: MANIFEST_TYPES, ...registryHeaders(registry) };
  try {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const answer = await fetch(url, { headers, signal: deadline });
    if (answer.ok) return await answer.json();
    await answer.body?.cancel();
    if (answer.status === 404) {
      const text = `The registry has no image ${new URL(url).pathname}; deploy the commit again to build it`;
      throw new FairleadError('INSTALL_FAILED', text);
    }
    throw new Error(`it answered ${answer.status}`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FairleadError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    const text = `The image registry could not be asked for an image: ${why}`;
    throw new FairleadError('UNAVAILABLE', text, { retryable: true, cause: error });
  }
}
