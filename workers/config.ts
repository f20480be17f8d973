import { type ConfigDeps, createConfigActivities } from '../activities/config/index.ts';
import {
  secretsOfAcmeAccounts,
  secretsOfCertificates,
  secretsOfConnections,
  secretsOfDatabases,
  secretsOfLocker,
  secretsOfReleases,
  secretsOfServices,
} from '../activities/config/stored-secrets.ts';
import { createSecretCipher } from '../adapters/crypto/secret-cipher.ts';
import { configSection } from '../adapters/env/deploys.ts';
import { lockerWorkerSection } from '../adapters/env/locker.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createServiceStore } from '../adapters/mongo/catalog/services.ts';
import { createAcmeAccounts } from '../adapters/mongo/custom-domains/acme.ts';
import { createCertificateRecords } from '../adapters/mongo/custom-domains/certificates.ts';
import { createDatabaseRecords } from '../adapters/mongo/databases/records.ts';
import { createReleaseStore } from '../adapters/mongo/deploys/releases.ts';
import { createGitConnectionStore } from '../adapters/mongo/git-hooks/connections.ts';
import { createLockerStore } from '../adapters/mongo/locker/items.ts';
import { defineModule, type WorkerParts } from './module.ts';

const now = () => new Date();

/** Stored secrets under the current key. Its settings: the keys, those of the locker as well. */
export const config = defineModule({
  name: 'config',
  section: { ...configSection, ...lockerWorkerSection },
  schedules: [],
  queue: 'own',
  slots: () => 1,
  async compose({ env, connect }) {
    const kinds = { ...(await kindsOfBuilder(env, connect)), ...(await kindsOfLocker(env, connect)) };
    return Object.keys(kinds).length === 0 ? null : createConfigActivities(kinds);
  },
});

type Connect = WorkerParts<unknown>['connect'];

async function kindsOfBuilder(
  { CONFIG_ENCRYPTION_KEY: keys }: ReadSection<typeof configSection>,
  connect: Connect,
): Promise<ConfigDeps> {
  if (keys === undefined) return {};
  const { db } = await connect('builder');
  const sealed = { cipher: createSecretCipher(keys), variable: 'CONFIG_ENCRYPTION_KEY' };
  return {
    services: { ...sealed, secrets: secretsOfServices(createServiceStore({ db, now })) },
    releases: { ...sealed, secrets: secretsOfReleases(createReleaseStore({ db })) },
    databases: { ...sealed, secrets: secretsOfDatabases(createDatabaseRecords({ db })) },
    certificates: { ...sealed, secrets: secretsOfCertificates(createCertificateRecords({ db })) },
    'acme-accounts': { ...sealed, secrets: secretsOfAcmeAccounts(createAcmeAccounts({ db })) },
    'git-connections': { ...sealed, secrets: secretsOfConnections(createGitConnectionStore({ db })) },
  };
}

async function kindsOfLocker(
  { LOCKER_ENCRYPTION_KEY: keys }: ReadSection<typeof lockerWorkerSection>,
  connect: Connect,
): Promise<ConfigDeps> {
  if (keys === undefined) return {};
  const { db } = await connect('locker');
  const variable = 'LOCKER_ENCRYPTION_KEY';
  const secrets = secretsOfLocker(createLockerStore({ db }));
  return { 'locker-items': { cipher: createSecretCipher(keys, variable), variable, secrets } };
}
