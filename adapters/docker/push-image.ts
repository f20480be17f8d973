import type Docker from 'dockerode';
import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import { FairleadError } from '../../domain/errors.ts';
import { engineError, engineMessage } from './docker-client.ts';
import { parseImageName } from './image-name.ts';
import { followProgress } from './progress.ts';
import { type RegistryAuth, registryAuthFor } from './registry-auth.ts';

/** Answers of a registry that another attempt will meet again. */
const REFUSED = /unauthorized|authentication required|no basic auth credentials|denied|insufficient_scope/i;
const STATES_SHOWN = new Set(['Pushed', 'Layer already exists', 'Mounted from']);

/**
 * Pushes a tag and returns its digest reference. Credentials go in a header of the engine API. Idempotent: layers the
 * registry has are not sent again, and the digest is the same.
 * @throws IMAGE_PUSH_FAILED (retryable unless the registry refused), DISK_FULL, UNAVAILABLE, or the abort reason
 */
export async function pushImage(
  tag: string,
  context: EffectContext,
  { docker, registry }: { docker: Docker; registry: RegistryAuth },
): Promise<{ digest: string }> {
  const name = parseImageName(tag);
  let digest: string | undefined;
  try {
    context.signal.throwIfAborted();
    const authconfig = registryAuthFor(tag, registry) ?? { username: '', password: '', serveraddress: name.host ?? '' };
    const image = docker.getImage(untagged(tag));
    const stream = await image.push({ tag: name.tag, authconfig, abortSignal: context.signal });
    await followProgress(stream, context.signal, (event) => {
      digest = event.aux?.Digest ?? digest;
      if (event.status !== undefined && STATES_SHOWN.has(event.status)) context.onLine(`${event.id}: ${event.status}`);
    });
  } catch (error) {
    context.signal.throwIfAborted();
    const retryable = !REFUSED.test(engineMessage(error));
    const remedy = retryable ? '' : ' (check DOCKER_REGISTRY_USER and DOCKER_REGISTRY_TOKEN)';
    throw engineError(error, `Pushing ${tag}${remedy}`, 'IMAGE_PUSH_FAILED', { retryable });
  }
  if (digest === undefined) {
    const text = `Pushing ${tag}: the engine reported no digest; push again`;
    throw new FairleadError('IMAGE_PUSH_FAILED', text, { retryable: true });
  }
  return { digest: `${untagged(tag)}@${digest}` };
}

/** The name without its tag: `localhost:5050/app:1` → `localhost:5050/app`. */
export function untagged(tag: string): string {
  const colon = tag.lastIndexOf(':');
  return colon > tag.lastIndexOf('/') ? tag.slice(0, colon) : tag;
}
