import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type RegistryAuth, registryHeaders, registryHost, registryOrigin } from './registry-auth.ts';

const TIMEOUT_MS = 10_000;

/**
 * Deletes a manifest of our registry by its digest reference (`host/name@sha256:…`). A registry that refuses is no
 * error: the image only stays there. A registry with a folder for requests deletes it before its next start.
 * @returns null when it is gone, else why not
 */
export async function deleteManifest(
  digestReference: string,
  registry: RegistryAuth,
  signal: AbortSignal,
): Promise<string | null> {
  const host = registryHost(registry);
  const [name = '', digest = ''] = digestReference.slice(host.length + 1).split('@');
  const { deletions } = registry;
  if (deletions !== undefined) return requestDeletion(`${name}@${digest}`, deletions);
  try {
    const answer = await fetch(`${registryOrigin(host)}/v2/${name}/manifests/${digest}`, {
      method: 'DELETE',
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      headers: registryHeaders(registry),
    });
    await answer.body?.cancel();
    return answer.ok || answer.status === 404 ? null : `it answered ${answer.status}`;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  }
}

/** One file a manifest: a second request changes nothing but its time. */
async function requestDeletion(reference: string, folder: string): Promise<string | null> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, createHash('sha256').update(reference).digest('hex')), reference);
  return null;
}
