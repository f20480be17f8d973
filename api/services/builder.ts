import { join } from 'node:path';
import { createArchiveStore } from '../../adapters/archives/archive-store.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { createEdgeRouter } from '../../adapters/edge-router/route-files.ts';
import { builderSection } from '../../adapters/env/deploys.ts';
import { createClientAdministration } from '../../adapters/idp/client-administration.ts';
import { createBuilderIndexes } from '../../adapters/mongo/builder-database.ts';
import { createServiceStore } from '../../adapters/mongo/catalog/services.ts';
import { createBuildLog } from '../../adapters/mongo/deploys/build-logs.ts';
import { createBuildStore } from '../../adapters/mongo/deploys/builds.ts';
import { createReleaseStore } from '../../adapters/mongo/deploys/releases.ts';
import { createDeployCommands } from '../../adapters/temporal/deploy-commands.ts';
import { createBuilderApp } from '../builder-app.ts';
import { defineService } from '../service-definition.ts';

const now = () => new Date();

/** The builder: services, builds and releases, with Temporal to run the deploys. */
export const builder = defineService({
  name: 'builder',
  section: builderSection,
  needs: ['mongo', 'temporal'],
  requestsPerMinute: 1_200,
  async compose({ env, settings, mongo: { db }, temporal, app }) {
    await createBuilderIndexes(db);
    const { idp } = settings.urls;
    const router = createEdgeRouter({
      routesDirectory: join(env.DATA_DIR, 'routes'),
      domain: env.PLATFORM_DOMAIN,
      port: env.EDGE_PORT,
    });
    const deps = {
      services: createServiceStore({ db, now }),
      builds: createBuildStore({ db, now }),
      releases: createReleaseStore({ db }),
      log: createBuildLog({ db, now }),
      archives: createArchiveStore({
        directory: join(env.DATA_DIR, 'archives'),
        newId,
        quota: { bytes: env.ORG_UPLOAD_QUOTA_BYTES },
      }),
      // OAuth clients are the identity provider's.
      clients: idp === undefined ? null : createClientAdministration({ url: idp, internalKey: settings.providerKey }),
      cipher: env.CONFIG_ENCRYPTION_KEY === undefined ? null : createSecretCipher(env.CONFIG_ENCRYPTION_KEY),
      commands: createDeployCommands(temporal()),
      newId,
      now,
      publicUrl: router.url,
      platformGitUrl: env.GIT_URL ?? null,
      localSourcesRoot: env.LOCAL_SOURCES_ROOT ?? null,
      enforceMinimumCatalogVersion: env.ENFORCE_MINIMUM_CATALOG_VERSION,
    };
    return { app: createBuilderApp(deps, app) };
  },
});
