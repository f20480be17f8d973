import { createHash } from 'node:crypto';
import type { Catalog } from '../../domain/catalog/catalog.ts';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import { type BuildEnvFile, buildEnvFile } from '../../domain/deploys/container-file/build-env-file.ts';
import type { DeploysDeps } from './deps.ts';
import { buildTimeVariables } from './service-config.ts';
import { findService } from './service-lookup.ts';

export interface BuildEnv extends BuildEnvFile {
  /** Changes whenever a value is set anew, and tells nothing about the values of secrets. */
  readonly id: string;
}

/** The variables of a service that its image build may see (spec 2, step 5); null when there are none. */
export async function buildEnvOf(
  deps: Pick<DeploysDeps, 'services' | 'cipher'>,
  build: BuildRequest,
  catalog: Catalog,
): Promise<BuildEnv | null> {
  const service = await findService(deps, build);
  const file = buildEnvFile(buildTimeVariables(deps, service, catalog));
  if (file === null) return null;
  // A secret is sealed with a new nonce each time it is set, so its sealed form changes with it and reveals nothing.
  const versions = file.names.map((name) => [name, service.config[name] ?? service.secrets[name]?.sealed]);
  const digest = createHash('sha256')
    .update(JSON.stringify([service.id, versions]))
    .digest('hex');
  return { ...file, id: `build-env-${digest.slice(0, 16)}` };
}
