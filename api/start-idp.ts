import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { equalsSecret } from '../adapters/crypto/equals-secret.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { createPasswordHasher } from '../adapters/crypto/password-hasher.ts';
import { createSecretCipher } from '../adapters/crypto/secret-cipher.ts';
import { createTokens } from '../adapters/crypto/tokens.ts';
import type { IdpEnv } from '../adapters/env.ts';
import { createKeyring } from '../adapters/jose/keyring.ts';
import { createSigningKeyFactory } from '../adapters/jose/signing-key-factory.ts';
import { createOutboxSender } from '../adapters/mail/outbox-sender.ts';
import { createSmtpSender } from '../adapters/mail/smtp-sender.ts';
import { connectMongo, type MongoConnection } from '../adapters/mongo/connect.ts';
import { createIdentityStores } from '../adapters/mongo/identity/create-identity-stores.ts';
import { createIdentityIndexes } from '../adapters/mongo/identity/indexes.ts';
import { createInternalKeyAuth } from './http/caller.ts';
import { clientAddress } from './http/client-address.ts';
import { DRAIN_MS, type RunningService, startServer } from './http/server.ts';
import { bootstrapIdentity, type FirstAdminLink } from './identity/bootstrap.ts';
import { cacheReads } from './identity/cached-reads.ts';
import type { IdentityDeps } from './identity/deps.ts';
import { createMailQueue } from './identity/mail/mail-queue.ts';
import { createIdpApp } from './idp-app.ts';
import { ownVersion } from './own-version.ts';
import { createPassportSocket } from './passport/passport-socket.ts';

const DATABASE = 'identity';
const now = () => new Date();

/** Starts the identity provider on its port, with MongoDB behind it. @throws UNAVAILABLE, CONFLICT */
export async function startIdp(env: IdpEnv, log: Logger): Promise<RunningService> {
  const mongo = await connectMongo(
    env.IDP_MONGODB_URI ?? env.MONGODB_URI,
    'fairlead-idp',
    env.IDP_MONGODB_URI === undefined ? DATABASE : undefined,
  );
  const stopping = new AbortController();
  try {
    await createIdentityIndexes(mongo.db);
    const deps = identityDeps(env, mongo, log);
    await deps.signer.reload();
    const linkFile = join(env.DATA_DIR, 'first-admin-link');
    await rm(linkFile, { force: true });
    // In a file that its owner alone can read: in a log it would be everybody's who reads logs.
    const keepLink = ({ url }: FirstAdminLink) => writeFile(linkFile, `${url}\n`, { mode: 0o600, flag: 'wx' });
    await bootstrapIdentity(deps, { onFirstAdminLink: keepLink });
    const app = createIdpApp(deps, {
      authenticate: createInternalKeyAuth({ key: env.INTERNAL_SERVICE_KEY, org: env.PLATFORM_ORG, equalsSecret }),
      newId,
      log,
      requestsPerMinute: env.REQUESTS_PER_MINUTE,
      trustedProxies: env.TRUSTED_PROXIES,
      stopping: stopping.signal,
      health: {
        commit: env.PLATFORM_COMMIT,
        version: await ownVersion(),
        now,
        checks: { mongo: () => mongo.ping() },
      },
    });
    const server = await startServer(app, {
      host: env.HOST,
      port: env.IDP_PORT,
      stopping,
      graceMs: DRAIN_MS,
      upgrade: createPassportSocket(deps, {
        stopping: stopping.signal,
        addressOf: (request) => clientAddress(app, request),
      }),
    });
    const stop = async (): Promise<void> => {
      await server.stop();
      await mongo.close();
    };
    return { address: server.address, stop };
  } catch (error) {
    await mongo.close();
    throw error;
  }
}

function identityDeps(env: IdpEnv, { db }: MongoConnection, log: Logger): IdentityDeps {
  const cipher = createSecretCipher(env.IDP_ENCRYPTION_KEY);
  const stores = createIdentityStores({ db, now });
  return {
    ...cacheReads(stores),
    cipher,
    signer: createKeyring({
      store: stores.signingKeys,
      factory: createSigningKeyFactory({ cipher, newId, now }),
      cipher,
      issuer: env.IDP_URL,
      now,
    }),
    hasher: createPasswordHasher(),
    tokens: createTokens(env.IDP_ENCRYPTION_KEY),
    mail:
      env.SMTP_URL === undefined
        ? createOutboxSender({ db, now })
        : createSmtpSender({ url: env.SMTP_URL, from: env.MAIL_FROM }),
    mailQueue: createMailQueue({ log }),
    newId,
    now,
    log,
    settings: {
      issuer: env.IDP_URL,
      platformName: env.PLATFORM_NAME,
      platformOrg: env.PLATFORM_ORG,
      externalAudiences: env.IDP_EXTERNAL_AUDIENCES,
      secureCookies: env.IDP_URL.startsWith('https:'),
    },
  };
}
