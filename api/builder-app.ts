import type { Express } from 'express';
import { apiTitle } from '../domain/services.ts';
import { type AuthorizedOrgsDeps, authorizedOrgsRoutes } from './authorized-orgs/routes.ts';
import type { BackupsDeps } from './backups/deps.ts';
import { backupsRoutes } from './backups/routes.ts';
import { type ConfigDeps, configRoutes } from './catalog/config-routes.ts';
import { type CatalogDeps, catalogRoutes } from './catalog/routes.ts';
import { type ReencryptionDeps, reencryptionRoutes } from './config/routes.ts';
import type { CustomDomainsDeps } from './custom-domains/deps.ts';
import { customDomainsRoutes } from './custom-domains/routes.ts';
import { type DatabasesDeps, databasesRoutes } from './databases/routes.ts';
import { type DeploysDeps, deploysRoutes } from './deploys/routes.ts';
import type { GitHooksDeps } from './git-hooks/deps.ts';
import { gitHooksRoutes } from './git-hooks/routes.ts';
import { type GitIdentitiesDeps, gitIdentitiesRoutes } from './git-identities/routes.ts';
import { type GrantsDeps, grantsRoutes } from './grants/routes.ts';
import { type AppOptions, createApp } from './http/create-app.ts';
import { createHealthRoute, type HealthOptions } from './http/health.ts';
import type { BuilderClientsDeps } from './oauth-clients/builder-deps.ts';
import { builderClientRoutes } from './oauth-clients/builder-routes.ts';
import { type PlatformBackupRoutesDeps, platformBackupRoutes } from './platform-backup/routes.ts';

export interface BuilderOptions extends Omit<AppOptions, 'title' | 'routes' | 'version' | 'health'> {
  readonly health: HealthOptions;
}

/** The builder: services, variables, builds, logs, releases and OAuth clients on one port. */
export function createBuilderApp(
  deps: CatalogDeps &
    ConfigDeps &
    ReencryptionDeps &
    DeploysDeps &
    BuilderClientsDeps &
    GrantsDeps &
    GitIdentitiesDeps &
    GitHooksDeps &
    BackupsDeps &
    PlatformBackupRoutesDeps &
    DatabasesDeps &
    CustomDomainsDeps &
    AuthorizedOrgsDeps,
  options: BuilderOptions,
): Express {
  return createApp({
    ...options,
    title: apiTitle('builder'),
    version: options.health.version,
    health: createHealthRoute(options.health),
    routes: [
      ...catalogRoutes(deps),
      ...configRoutes(deps),
      ...reencryptionRoutes(deps),
      ...deploysRoutes(deps),
      ...builderClientRoutes(deps),
      ...grantsRoutes(deps),
      ...gitIdentitiesRoutes(deps),
      ...gitHooksRoutes(deps),
      ...authorizedOrgsRoutes(deps),
      ...backupsRoutes(deps),
      ...platformBackupRoutes(deps),
      ...databasesRoutes(deps),
      ...customDomainsRoutes(deps),
    ],
  });
}
