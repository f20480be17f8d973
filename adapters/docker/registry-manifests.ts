import { type RegistryAuth, registryHost } from './registry-auth.ts';

const TIMEOUT_MS = 10_000;

/**
 * Deletes a manifest of our registry by its digest reference (`host/name@sha256:…`). A registry that refuses is no
 * error: the image only stays there.
 * @returns null when it is gone, else why not
 */
export async function deleteManifest(
  digestReference: string,
  registry: RegistryAuth,
  signal: AbortSignal,
): Promise<string | null> {
  const host = registryHost(registry);
  const [name = '', digest = ''] = digestReference.slice(host.length + 1).split('@');
  const { user, token } = registry;
  const authorization = `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}`;
  try {
    const answer = await fetch(`${scheme(host)}://${host}/v2/${name}/manifests/${digest}`, {
      method: 'DELETE',
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      ...(user === undefined || token === undefined ? {} : { headers: { authorization } }),
    });
    await answer.body?.cancel();
    return answer.ok || answer.status === 404 ? null : `it answered ${answer.status}`;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  }
}

/** As the engine does: a registry on this machine is spoken to without TLS. */
function scheme(host: string): 'http' | 'https' {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host) ? 'http' : 'https';
}
