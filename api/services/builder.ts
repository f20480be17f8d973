import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createArchiveStore } from '../../adapters/archives/archive-store.ts';
import { createOutboxRecorder } from '../../adapters/audit-ledger/outbox-recorder.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { createEdgeRouter } from '../../adapters/edge-router/route-files.ts';
import { modeSettings } from '../../adapters/env/custom-domains.ts';
import { builderSection } from '../../adapters/env/deploys.ts';
import { createGitAccounts } from '../../adapters/git-host/git-accounts.ts';
import { createGitHost } from '../../adapters/git-host/git-host.ts';
import { createClientAdministration } from '../../adapters/idp/client-administration.ts';
import { createOrgDirectory } from '../../adapters/idp/org-directory.ts';
import { createLegacyVault } from '../../adapters/locker/legacy-vault.ts';
import { createLockerClient } from '../../adapters/locker/locker-client.ts';
import { createPlatformLogs } from '../../adapters/log-files/platform-logs.ts';
import { createServiceLogs } from '../../adapters/log-files/service-logs.ts';
import { createSharingHistory } from '../../adapters/mongo/authorized-orgs/sharing-history.ts';
import { createBuilderIndexes } from '../../adapters/mongo/builder-database.ts';
import { createServiceStore } from '../../adapters/mongo/catalog/services.ts';
import { createVariableHistory } from '../../adapters/mongo/config/variable-history.ts';
import { createCustomDomainStore } from '../../adapters/mongo/custom-domains/domains.ts';
import { createBuildLog } from '../../adapters/mongo/deploys/build-logs.ts';
import { createBuildStore } from '../../adapters/mongo/deploys/builds.ts';
import { createReleaseStore } from '../../adapters/mongo/deploys/releases.ts';
import { createWorkloadStates } from '../../adapters/mongo/deploys/workload-states.ts';
import { createGitConnectionStore } from '../../adapters/mongo/git-hooks/connections.ts';
import { createGitDeliveryStore } from '../../adapters/mongo/git-hooks/deliveries.ts';
import { createHeadStore } from '../../adapters/mongo/git-hooks/heads.ts';
import { createGitIdentityStore } from '../../adapters/mongo/git-identities/identities.ts';
import { createGrantStore } from '../../adapters/mongo/grants/grants.ts';
import { createPlatformBackupStore } from '../../adapters/mongo/platform-backup/records.ts';
import { createDeployCommands } from '../../adapters/temporal/deploy-commands.ts';
import { createDomainCommands } from '../../adapters/temporal/domain-commands.ts';
import { createGitHookCommands } from '../../adapters/temporal/git-hook-commands.ts';
import { createGrantCommands } from '../../adapters/temporal/grant-commands.ts';
import { createPlatformBackupCommands } from '../../adapters/temporal/platform-backup-commands.ts';
import { createReencryptionCommands } from '../../adapters/temporal/reencryption-commands.ts';
import { createSharingCommands } from '../../adapters/temporal/sharing-commands.ts';
import type { LegacyVault, LockerSource } from '../../domain/config/secret-import.ts';
import { platformNames } from '../../domain/custom-domains/platform-names.ts';
import { DOCKER_INSTALLATION } from '../../domain/deploys/plan.ts';
import type { ServiceUrls } from '../../domain/service-addresses.ts';
import { LOCKER_RESOLVE_SCOPE, serviceRow } from '../../domain/services.ts';
import { createServiceTokens } from '../../sdk/auth/service-tokens.ts';
import { createMemberNotices } from '../authorized-orgs/member-notices.ts';
import { createBuilderApp } from '../builder-app.ts';
import type { Caller } from '../http/caller.ts';
import { defineService } from '../service-definition.ts';
import { composeBackups } from './backups-deps.ts';

const now = () => new Date();

/** The builder: services, builds and releases, with Temporal to run the deploys. */
export const builder = defineService({
  name: 'builder',
  section: builderSection,
  needs: ['mongo', 'temporal'],
  requestsPerMinute: 1_200,
  async compose({ env, settings, publicUrl, mongo: { db }, temporal, app, log, opened, metrics }) {
    await createBuilderIndexes(db);
    const { idp, 'audit-ledger': auditUrl } = settings.urls;
    const { internalKey } = settings;
    const folder = join(env.DATA_DIR, 'audit-outbox');
    const audit =
      auditUrl === undefined
        ? null
        : createOutboxRecorder({ auditUrl, internalKey, namespace: 'builder', folder, log });
    if (audit !== null) {
      opened.adopt(audit, () => audit.close());
      metrics?.outbox('audit/builder', () => audit.waiting());
    }
    const router = createEdgeRouter({
      routesDirectory: join(env.DATA_DIR, 'routes'),
      domain: env.PLATFORM_DOMAIN,
      port: env.EDGE_PORT,
      innerUrl: env.EDGE_INTERNAL_URL,
    });
    const sharingCommands = createSharingCommands(temporal());
    // Without a git host of the platform there is nothing to bring up to date.
    const notices = env.GIT_URL === undefined ? null : createMemberNotices({ commands: sharingCommands, log });
    const gitHosts = { platformGitUrl: env.GIT_URL ?? null, now };
    const modes = modeSettings(env);
    const stores = { builds: createBuildStore({ db, now }), releases: createReleaseStore({ db }) };
    const deps = {
      ...stores,
      ...composeBackups({ env, db, temporal: temporal() }),
      platformBackups: createPlatformBackupStore({ db, now }),
      platformBackupCommands: createPlatformBackupCommands(temporal()),
      services: createServiceStore({ db, now }),
      history: createVariableHistory({ db }),
      domains: createCustomDomainStore({ db }),
      domainCommands: createDomainCommands(temporal()),
      platformNames: platformNames({
        ...{ platformDomain: env.PLATFORM_DOMAIN, ...modes },
        urls: [publicUrl, ...Object.values(settings.urls), env.STATUS_URL, env.GATEWAY_URL, env.GIT_URL],
      }),
      domainModes: { ...modes, writesRecords: env.ENABLE_DNS_MANAGEMENT },
      grants: createGrantStore({ db }),
      grantCommands: createGrantCommands(temporal()),
      gitConnections: createGitConnectionStore({ db }),
      gitDeliveries: createGitDeliveryStore({ db, now }),
      gitHeads: createHeadStore({ db }),
      gitHookCommands: createGitHookCommands(temporal()),
      gitHost: createGitHost(gitHosts),
      gitIdentities: createGitIdentityStore({ db }),
      gitAccounts: createGitAccounts(gitHosts),
      randomSecret: () => randomBytes(32),
      hooksUrl: publicUrl,
      sharingHistory: createSharingHistory({ db }),
      sharingCommands,
      deployed: (caller: Caller) => notices?.deployed(caller),
      orgs: idp === undefined ? null : createOrgDirectory({ url: idp, internalKey: settings.providerKey }),
      workloadStates: createWorkloadStates({ db, now }),
      log: createBuildLog({ db, now }),
      serviceLogs: createServiceLogs({ directory: join(env.DATA_DIR, 'service-logs') }),
      platformLogs: createPlatformLogs({ directory: join(env.DATA_DIR, 'logs') }),
      archives: createArchiveStore({
        directory: join(env.DATA_DIR, 'archives'),
        newId,
        quota: { bytes: env.ORG_UPLOAD_QUOTA_BYTES },
      }),
      // OAuth clients are the identity provider's.
      clients: idp === undefined ? null : createClientAdministration({ url: idp, internalKey: settings.providerKey }),
      cipher: env.CONFIG_ENCRYPTION_KEY === undefined ? null : createSecretCipher(env.CONFIG_ENCRYPTION_KEY),
      locker: composeLocker(settings.urls, env.BUILDER_CLIENT_SECRET),
      vault: composeVault(env.LEGACY_VAULT_URL, env.LEGACY_VAULT_TOKEN),
      commands: createDeployCommands(temporal()),
      reencryption: createReencryptionCommands(temporal()),
      audit,
      newId,
      now,
      publicUrl: router.url,
      platformGitUrl: env.GIT_URL ?? null,
      localSourcesRoot: env.LOCAL_SOURCES_ROOT ?? null,
      enforceMinimumCatalogVersion: env.ENFORCE_MINIMUM_CATALOG_VERSION,
      installation: {
        ...DOCKER_INSTALLATION,
        runtime: env.ENABLE_K8S_DEPLOY ? ('kubernetes' as const) : ('docker' as const),
        wallet: settings.urls.wallet !== undefined,
        registry: settings.urls.registry !== undefined,
        monitor: env.MONITOR_URL !== undefined,
        siteRegistry: env.SITE_REGISTRY_HOOKS && env.SITE_REGISTRY_URL !== undefined,
        testRunner: env.TEST_RUNNER_URL !== undefined,
      },
    };
    const authenticate = notices === null ? app.authenticate : notices.noticing(app.authenticate);
    return { app: createBuilderApp(deps, { ...app, authenticate }) };
  },
});

/** By the builder's own client; null where anything of it is not set. */
function composeLocker({ idp, locker }: ServiceUrls, clientSecret: string | undefined): LockerSource | null {
  if (locker === undefined || idp === undefined || clientSecret === undefined) return null;
  const clientId = serviceRow('builder').platformClient;
  const audience = serviceRow('locker').platformClient;
  const tokens = createServiceTokens({ idpUrl: idp, clientId, clientSecret, scope: LOCKER_RESOLVE_SCOPE, audience });
  return createLockerClient({ url: locker, tokens });
}

function composeVault(url: string | undefined, token: string | undefined): LegacyVault | null {
  return url === undefined || token === undefined ? null : createLegacyVault({ url, token });
}
