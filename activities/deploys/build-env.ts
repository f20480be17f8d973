import { createHash } from 'node:crypto';
import type { Catalog } from '../../domain/catalog/catalog.ts';
import { envFileLine } from '../../domain/config/env-file.ts';
import { variablesIn } from '../../domain/config/service-variables.ts';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import { type BuildEnvFile, buildEnvFile } from '../../domain/deploys/container-file/build-env-file.ts';
import { isSensitiveName } from '../../domain/logs/sensitive-names.ts';
import type { DeploysDeps } from './deps.ts';
import { buildTimeVariables } from './service-config.ts';
import { findService } from './service-lookup.ts';

export interface BuildEnv extends BuildEnvFile {
  /** Changes whenever a value is set anew, and tells nothing about the values of secrets. */
  readonly id: string;
  /** Of each variable alone, by its name: changes whenever that one is set anew. */
  readonly ids: Readonly<Record<string, string>>;
  /**
   * What nothing that leaves the build may show: values of secrets, and of others the line that says which variable has the
   * value. Viewers of the service see plain values, and such a one may be a word that any file has, such as `true`.
   */
  readonly hidden: readonly string[];
}

/** The variables of a service that its image build may see (spec 2, step 5); null when there are none. */
export async function buildEnvOf(
  deps: Pick<DeploysDeps, 'services' | 'cipher'>,
  build: BuildRequest,
  catalog: Catalog,
): Promise<BuildEnv | null> {
  const service = await findService(deps, build);
  const { environment } = build;
  const file = buildEnvFile(buildTimeVariables(deps, service, { catalog, environment }));
  if (file === null) return null;
  // A secret is sealed with a new nonce each time it is set, so its sealed form changes with it and reveals nothing.
  const { config, secrets, ownSecrets } = variablesIn(service, environment);
  const sealed = Object.entries({ ...secrets, ...ownSecrets }).map(([name, secret]) => [name, secret.sealed] as const);
  const stored = new Map([...sealed, ...Object.entries(config)]);
  const versions = file.names.map((name) => [name, stored.get(name)] as const);
  const ids = versions.map((version) => [version[0], `build-variable-${digest([service.id, version])}`] as const);
  const isSecret = (name: string) => Object.hasOwn(secrets, name) || Object.hasOwn(ownSecrets, name);
  const hidden = Object.entries(file.values).flatMap(([name, value]) =>
    isSecret(name) || isSensitiveName(name)
      ? [value]
      : [`${name}=${value}`, envFileLine(name, value, { expands: true }).trimEnd()],
  );
  return { ...file, id: `build-env-${digest([service.id, versions])}`, ids: Object.fromEntries(ids), hidden };
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
