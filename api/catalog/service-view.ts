import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { ServiceView } from '../../domain/catalog/service-schema.ts';
import { HIDDEN_SECRET } from '../../domain/config/sealed-secret.ts';
import type { Release } from '../../domain/deploys/release.ts';
import type { ReleaseView } from '../../domain/deploys/schema.ts';
import { isSensitiveName } from '../../domain/logs/sensitive-names.ts';

/** A service as it is shown: secrets by name only, and so what was stored as plain config under the name of a secret. */
export function serviceView(service: ServiceRecord): ServiceView {
  const { id, name, org, gitUrl, branch, appPath, dockerfilePath, port, lastBuildId } = service;
  const hidden = Object.keys(service.secrets).map((secret) => [secret, HIDDEN_SECRET] as const);
  return {
    ...{ id, name, org, gitUrl, branch, appPath, dockerfilePath, port, lastBuildId },
    authorizedOrgs: [...service.authorizedOrgs],
    config: Object.fromEntries(
      Object.entries(service.config).map(([key, value]) => [key, isSensitiveName(key) ? HIDDEN_SECRET : value]),
    ),
    secrets: Object.fromEntries(hidden),
    createdAt: service.createdAt.toISOString(),
    updatedAt: service.updatedAt.toISOString(),
  };
}

/** A release as it is shown: variables by name only, because a value may have been meant for one deploy alone. */
export function releaseView(release: Release, activeId: string | null): ReleaseView {
  const { config, secrets, createdAt, activatedAt, epoch: _, installedBy: __, ...rest } = release;
  return {
    ...rest,
    configKeys: Object.keys(config),
    secretKeys: Object.keys(secrets),
    active: release.id === activeId,
    createdAt: createdAt.toISOString(),
    activatedAt: activatedAt?.toISOString() ?? null,
  };
}
