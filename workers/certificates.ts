import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClaimantsOf } from '../activities/custom-domains/certificates/claimants-of.ts';
import { createHolderOf } from '../activities/custom-domains/certificates/holder-of.ts';
import { createCertificatesActivities } from '../activities/custom-domains/certificates/index.ts';
import { createCertificateAuthority } from '../adapters/acme/certificate-authority.ts';
import { createCertificateKeys } from '../adapters/acme/certificate-keys.ts';
import { createSecretCipher } from '../adapters/crypto/secret-cipher.ts';
import { createCertificateFiles, removeLeftCertificates } from '../adapters/edge-router/certificate-files.ts';
import { createChallengeAnswers } from '../adapters/edge-router/challenge-files.ts';
import { certificatesSection } from '../adapters/env/certificates.ts';
import { configSection } from '../adapters/env/deploys.ts';
import { dataSection } from '../adapters/env/platform.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createServedCheck } from '../adapters/http-fetch/served-check.ts';
import { createBuilderIndexes } from '../adapters/mongo/builder-database.ts';
import { createServiceStore } from '../adapters/mongo/catalog/services.ts';
import type { MongoConnection } from '../adapters/mongo/connect.ts';
import { createAcmeAccounts, createOrderLog } from '../adapters/mongo/custom-domains/acme.ts';
import { createCertificateRecords } from '../adapters/mongo/custom-domains/certificates.ts';
import { certificatesByDaysLeft } from '../adapters/mongo/custom-domains/certificates-by-days-left.ts';
import { createCustomDomainStore } from '../adapters/mongo/custom-domains/domains.ts';
import { createCaaLookup } from '../adapters/public-dns/caa-lookup.ts';
import { createResolverLookup } from '../adapters/public-dns/resolver-lookup.ts';
import { composeAlarms } from './alarms.ts';
import { defineModule, type WorkerParts } from './module.ts';

const section = { ...certificatesSection, ...configSection, ...dataSection };

type Parts = WorkerParts<ReadSection<typeof section>>;

const now = () => new Date();

/**
 * Certificates of customers' host names. Their settings: the directory of an authority, and CONFIG_ENCRYPTION_KEY, by which
 * their keys are sealed.
 */
export const certificates = defineModule({
  name: 'certificates',
  section,
  schedules: [],
  queue: 'own',
  // All of them wait for somebody else, and each org has a few.
  slots: () => 32,
  async compose(parts) {
    const { env, logger } = parts;
    const { ACME_DIRECTORY_URL: directoryUrl, CONFIG_ENCRYPTION_KEY: keys } = env;
    if (directoryUrl === undefined) return null;
    if (keys === undefined) {
      logger.warn('no certificates are issued: ACME_DIRECTORY_URL is set, and CONFIG_ENCRYPTION_KEY is not');
      return null;
    }
    const { db } = await parts.connect('builder');
    await createBuilderIndexes(db);
    showDaysLeft(parts, { db });
    const cipher = createSecretCipher(keys);
    const routesDirectory = join(env.DATA_DIR, 'routes');
    await removeLeftCertificates(routesDirectory);
    const ca = env.ACME_CA_CERT_PATH === undefined ? null : await readFile(env.ACME_CA_CERT_PATH, 'utf8');
    const accounts = createAcmeAccounts({ db });
    const lookup = createResolverLookup(env.CERTIFICATE_DNS_RESOLVERS);
    const services = createServiceStore({ db, now });
    const domains = createCustomDomainStore({ db });
    return createCertificatesActivities({
      records: createCertificateRecords({ db }),
      orders: createOrderLog({ db }),
      claimantsOf: createClaimantsOf({ services, domains }),
      holderOf: createHolderOf({ domains }),
      orgOf: async ({ service }) => (await services.find(service))?.org ?? `service ${service}`,
      authority: createCertificateAuthority({ ...accountOf(env), directoryUrl, accounts, cipher, ca, now }),
      files: createCertificateFiles(routesDirectory),
      answers: createChallengeAnswers(routesDirectory),
      // Names with *. wait for the zones that the platform manages.
      challengeRecords: null,
      lookUpCaa: createCaaLookup(env.CERTIFICATE_DNS_RESOLVERS),
      servedCheck: createServedCheck({ now, lookup, ...(ca === null ? {} : { ca: [ca] }) }),
      keys: createCertificateKeys(),
      cipher,
      raiseAlarm: await composeAlarms(parts),
      now,
    });
  },
});

/** Every minute is enough: they are many, and days are long. */
const DAYS_READ_EVERY_MS = 60_000;

function showDaysLeft({ metrics }: Parts, { db }: Pick<MongoConnection, 'db'>): void {
  metrics?.reading({
    name: 'certificates',
    gauge: 'fairlead_certificates',
    help: 'Certificates of names of their own that services have, by the days that they are good for.',
    labelNames: ['days_left'],
    everyMs: DAYS_READ_EVERY_MS,
    read: async () =>
      [...(await certificatesByDaysLeft(db, now()))].map(([range, value]) => ({ labels: { days_left: range }, value })),
  });
}

function accountOf(env: Parts['env']) {
  const { ACME_EAB_KEY_ID: keyId, ACME_EAB_HMAC_KEY: hmacKey } = env;
  return {
    email: env.ACME_EMAIL ?? null,
    externalAccount: keyId === undefined || hmacKey === undefined ? null : { keyId, hmacKey },
    profile: env.ACME_PROFILE ?? null,
  };
}
