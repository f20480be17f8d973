import type { Manifest } from '../../catalog/read-manifest.ts';
import { choosesAdapter } from '../../catalog/site-generators.ts';

/**
 * Variables by which SvelteKit's adapter-auto, which builds for the host that it finds itself on, makes a server for
 * Node.js, as it does for hosts of containers. It installs the adapter for it while it builds.
 */
export function adapterChoice({ dependencies }: Manifest): Readonly<Record<string, string>> {
  return choosesAdapter(dependencies) ? { GCP_BUILDPACKS: 'true' } : {};
}
