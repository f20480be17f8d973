import type { AuthConfig } from 'dockerode';
import { parseImageName } from './image-name.ts';

/** The registry that images are pushed to, and what it is asked with. */
export interface RegistryAuth {
  /** Host and port, such as `localhost:5050`; it may carry a path prefix. */
  readonly address: string;
  readonly user?: string | undefined;
  readonly token?: string | undefined;
  /** Of a registry that deletes nothing while it serves: folder for requests to delete manifests, see registry-manifests.ts. */
  readonly deletions?: string | undefined;
}

/**
 * Credentials for an image, sent in a header of the engine API: those of our registry for its own images, empty ones
 * for others. Never undefined for a push, which the engine refuses without the header.
 */
export function registryAuthFor(image: string, registry: RegistryAuth): AuthConfig | null {
  if (parseImageName(image).host !== registryHost(registry)) return null;
  const { user, token } = registry;
  return user === undefined || token === undefined
    ? null
    : { username: user, password: token, serveraddress: registryHost(registry) };
}

/** Where the API of a registry is: as the engine does, one on this machine is spoken to without TLS. */
export function registryOrigin(host: string): string {
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host);
  return `${isLocal ? 'http' : 'https'}://${host}`;
}

/** The headers by which it knows who asks; none where it asks for no login. */
export function registryHeaders({ user, token }: RegistryAuth): Readonly<Record<string, string>> {
  if (user === undefined || token === undefined) return {};
  return { authorization: `Basic ${Buffer.from(`${user}:${token}`).toString('base64')}` };
}

export function registryHost(registry: RegistryAuth): string {
  return registry.address.split('/')[0] ?? registry.address;
}
