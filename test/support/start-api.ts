import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { equalsSecret } from '../../adapters/crypto/equals-secret.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { createLogger } from '../../adapters/logging/logger.ts';
import { createBuilderApp } from '../../api/builder-app.ts';
import type { ImportDeps } from '../../api/catalog/import-secrets.ts';
import { type Caller, createInternalKeyAuth, type UserCaller } from '../../api/http/caller.ts';
import { startServer } from '../../api/http/server.ts';
import { createTokenAuth } from '../../api/http/token-auth.ts';
import { createServiceDatabases } from '../../domain/backups/database-owners.ts';
import type { ServiceDatabases } from '../../domain/backups/ports.ts';
import { createNamesOfService } from '../../domain/custom-domains/names-of-service.ts';
import { DOCKER_INSTALLATION } from '../../domain/deploys/plan.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ClientAdministration } from '../../domain/oauth-clients/administration-port.ts';
import type { OrgDirectory } from '../../domain/org-directory.ts';
import type { OrgRole } from '../../domain/roles.ts';
import type { TokenVerifier } from '../../sdk/index.ts';
import type { BuilderParts } from './builder-parts.ts';
import { createCustomDomainsDeps } from './custom-domains-parts.ts';
import { createInMemoryAudit } from './in-memory/audit-recorder.ts';
import { createInMemoryBackupCommands } from './in-memory/backup-commands.ts';
import { createInMemoryBuilderParts } from './in-memory/builder-parts.ts';
import { createInMemoryDatabaseRecords } from './in-memory/database-records.ts';
import { createInMemoryDeployCommands } from './in-memory/deploy-commands.ts';
import { createInMemoryDomainCommands } from './in-memory/domain-commands.ts';
import { createInMemoryGitHookCommands } from './in-memory/git-hook-commands.ts';
import { createInMemoryGitHost } from './in-memory/git-host.ts';
import { createInMemoryGitAccounts } from './in-memory/git-identities.ts';
import { createInMemoryGrantCommands } from './in-memory/grant-commands.ts';
import { createInMemoryObjectStore } from './in-memory/object-store.ts';
import { createInMemoryReencryption } from './in-memory/reencryption.ts';
import { createInMemorySharingCommands } from './in-memory/sharing-commands.ts';

export const KEY = 'internal-key-of-this-test-0123456789';

/** A provider that has no client of a service. */
const NO_CLIENTS: Pick<ClientAdministration, 'provision' | 'list' | 'revokeScopes' | 'removeAdditions'> = {
  list: async () => ({ items: [], nextCursor: null }),
  provision: async () => {
    throw new FairleadError('CLIENT_NOT_FOUND', 'no client');
  },
  revokeScopes: async () => [],
  removeAdditions: async () => ({ secretIds: [], entries: [] }),
};

/** Every org but one that is called `nobody`. */
const ORGS: OrgDirectory = {
  async requireOrg(slug) {
    if (slug === 'nobody') throw new FairleadError('ORG_NOT_FOUND', 'There is no org nobody');
  },
};

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed JSON of any shape: tests look into it. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/**
 * The builder's app on a free port with everything it logs: taking tokens of a provider when one is given, on parts in
 * memory unless others are given, and with deploy workflows in memory.
 */
export async function startApi(
  tokens: { verifier: TokenVerifier; issuer: string } | null = null,
  clients: ClientAdministration | null = null,
  parts: BuilderParts = createInMemoryBuilderParts(),
  sources: Partial<Pick<ImportDeps, 'locker' | 'vault'>> = {},
  orgs: OrgDirectory | null = ORGS,
) {
  const logged: string[] = [];
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged.push(String(chunk));
      done();
    },
  });
  const now = () => new Date();
  const { services, history, builds, releases, workloadStates, grants, log, serviceLogs, archives, platformLogs } =
    parts;
  const { gitConnections, gitDeliveries, gitHeads, gitIdentities, backups, restores } = parts;
  const backupCommands = createInMemoryBackupCommands();
  /** Backups of the platform that run; tests say that there is no room for one more. */
  const platformBackupWork = { running: new Set<string>(), isBusy: false };
  const backupArchives = createInMemoryObjectStore();
  /** Databases of services, by `<service id>/<environment>`. */
  const databases = new Map<string, Awaited<ReturnType<ServiceDatabases['of']>>>();
  const databaseRecords = createInMemoryDatabaseRecords();
  /** Databases that were dropped, such as `postgres/shop_prod`. */
  const dropped = new Set<string>();
  /** Databases whose rotation was asked for, and by whom. */
  const rotations: { readonly id: string; readonly requestedBy: string }[] = [];
  /** Databases of removed services that were asked to be dropped sooner. */
  const drops: { readonly id: string; readonly dropAfter: Date }[] = [];
  const commands = createInMemoryDeployCommands();
  const gitHookCommands = createInMemoryGitHookCommands();
  const gitHost = createInMemoryGitHost();
  /** Accounts by the token that opens them. */
  const accounts = new Map<string, { readonly accountId: string; readonly login: string }>();
  const reencryption = createInMemoryReencryption();
  const audit = createInMemoryAudit();
  const databaseLogins = { records: databaseRecords, commands: { dropLater: async () => undefined }, now };
  const names = createCustomDomainsDeps({ domains: parts.domains, services, audit, clients });
  /** Tests change it. */
  const domainModes = { ...names.deps.settings, writesRecords: true };
  const grantCommands = createInMemoryGrantCommands({
    ...{ grants, services, databaseLogins, audit },
    clients: clients ?? NO_CLIENTS,
  });
  const sharingCommands = createInMemorySharingCommands({
    ...{ services, builds, databaseLogins, grants, grantCommands, audit, now, sharingHistory: parts.sharingHistory },
    workflows: { tellDecided: async () => undefined },
    clients: clients ?? NO_CLIENTS,
    customDomains: createNamesOfService(parts.domains, createInMemoryDomainCommands(names.deps)),
    repositories: null,
    gitHost: null,
  });
  const internal = createInternalKeyAuth({ key: KEY, org: 'platform', equalsSecret });
  const verifier = tokens?.verifier ?? null;
  const authenticate = createTokenAuth({ internalKey: internal, verifier, platformOrg: 'platform' });
  const stopping = new AbortController();
  const checks: Record<string, () => Promise<void>> = { stores: parts.ping };
  const app = createBuilderApp(
    {
      ...{ services, history, builds, releases, workloadStates, grants, log, serviceLogs, archives },
      platformLogs,
      ...{ gitConnections, gitDeliveries, gitHeads, gitHookCommands, gitHost },
      platformBackups: parts.platformBackups,
      platformBackupCommands: {
        async backUp({ id }) {
          if (platformBackupWork.isBusy) throw new FairleadError('BACKUP_IN_PROGRESS', 'another one runs');
          platformBackupWork.running.add(id);
        },
        cancel: async (id) => platformBackupWork.running.delete(id),
      },
      ...{ backups, restores, backupCommands, backupArchives, hasObjectStore: true, backupDownloadTtlSeconds: 900 },
      backupNights: { isEnabled: true, hourUtc: 2 },
      domains: parts.domains,
      domainCommands: createInMemoryDomainCommands(names.deps),
      platformNames: names.deps.settings,
      domainModes,
      databaseRecords,
      databaseCommands: {
        rotate: async ({ id }, { requestedBy }) => void rotations.push({ id, requestedBy }),
        dropSooner: async ({ id, dropAfter }) => void drops.push({ id, dropAfter }),
        isRotating: async (record) => rotations.some(({ id }) => id === record.id),
      },
      isDropped: async ({ engine, databaseName }) => dropped.has(`${engine}/${databaseName}`),
      serviceDatabases: {
        of: async ({ id }, environment) => databases.get(`${id}/${environment}`) ?? [],
        notBackedUp: createServiceDatabases(databaseRecords).notBackedUp,
        known: createServiceDatabases(databaseRecords).known,
        recordedUnder: async (ids) => [...ids, ...(await databaseRecords.earlierServiceIds(ids))],
      },
      ...{ gitIdentities, gitAccounts: createInMemoryGitAccounts(accounts) },
      randomSecret: () => randomBytes(32),
      hooksUrl: 'https://builder.example',
      grantCommands,
      sharingHistory: parts.sharingHistory,
      sharingCommands,
      deployed: () => undefined,
      orgs,
      cipher: createSecretCipher([Buffer.alloc(32, 7)]),
      locker: null,
      vault: null,
      ...sources,
      commands,
      reencryption,
      clients,
      audit,
      newId,
      now,
      publicUrl: (service, environment) => `http://${service}.${environment}.localhost:8000`,
      platformGitUrl: null,
      localSourcesRoot: '/',
      enforceMinimumCatalogVersion: false,
      installation: { ...DOCKER_INSTALLATION, registry: true },
    },
    {
      // `x-test-user: org/role[/user id]` plays a token of a user, which the internal key cannot.
      authenticate: async (request) => testUser(request.headers['x-test-user']) ?? (await authenticate(request)),
      ...(tokens === null ? {} : { protectedResource: { issuer: tokens.issuer, publicUrl: null } }),
      newId,
      log: createLogger({ name: 'test', level: 'debug', secrets: [KEY] }, sink),
      requestsPerMinute: 100_000,
      stopping: stopping.signal,
      health: { commit: 'c0ffee', version: '1.2.3', now, checks },
    },
  );
  const server = await startServer(app, { host: '127.0.0.1', port: 0, stopping, graceMs: 2_000 });

  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(server.address + path, {
      method,
      headers: {
        'x-internal-key': KEY,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : null;
    return { status: response.status, headers: response.headers, text, body: json };
  }

  const stop = async (): Promise<void> => {
    await server.stop();
    await parts.stop();
  };
  return {
    ...parts,
    address: server.address,
    call,
    commands,
    sharingCommands,
    gitHookCommands,
    backupCommands,
    backupArchives,
    platformBackupWork,
    databases,
    dropped,
    databaseRecords,
    names,
    domainModes: domainModes as { -readonly [Key in keyof typeof domainModes]: (typeof domainModes)[Key] },
    rotations,
    drops,
    gitHost,
    accounts,
    reencryption,
    audit,
    logged,
    checks,
    server,
    stop,
  };
}

export type TestApi = Awaited<ReturnType<typeof startApi>>;

function testUser(header: string | string[] | undefined): Caller | null {
  if (typeof header !== 'string') return null;
  const [org = '', role = '', userId = 'usr_test'] = header.split('/');
  if (role === 'super_admin') return { ...personOf(org, 'admin', userId), kind: 'platform-admin' };
  if (role !== 'viewer' && role !== 'member' && role !== 'admin') throw new Error(`no role ${role}`);
  return personOf(org, role, userId);
}

function personOf(org: string, role: OrgRole, userId: string): UserCaller {
  return {
    kind: 'user',
    via: 'token',
    userId,
    email: 'test@example.com',
    org,
    name: userId,
    role,
    clientId: 'fairlead-cli',
  };
}
