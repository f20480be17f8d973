import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { forwardTrail } from '../adapters/audit-ledger/forward-trail.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { createPasswordHasher } from '../adapters/crypto/password-hasher.ts';
import { createSecretCipher } from '../adapters/crypto/secret-cipher.ts';
import { createTokens } from '../adapters/crypto/tokens.ts';
import type { IdpEnv } from '../adapters/env.ts';
import { createKeyring } from '../adapters/jose/keyring.ts';
import { createSigningKeyFactory } from '../adapters/jose/signing-key-factory.ts';
import { createOutboxSender } from '../adapters/mail/outbox-sender.ts';
import { createSmtpSender } from '../adapters/mail/smtp-sender.ts';
import { createAuditForwarding } from '../adapters/mongo/audit/audit-forwarding.ts';
import { connectMongo, type MongoConnection } from '../adapters/mongo/connect.ts';
import { createIdentityIndexes, createIdentityStores } from '../adapters/mongo/identity-database.ts';
import type { MailSender } from '../domain/identity/ports.ts';
import { clientAddress } from './http/client-address.ts';
import { DRAIN_MS, type RunningService, startServer } from './http/server.ts';
import { bootstrapIdentity } from './identity/bootstrap.ts';
import { cacheReads } from './identity/cached-reads.ts';
import type { IdentityDeps } from './identity/deps.ts';
import { createMailQueue } from './identity/mail/mail-queue.ts';
import { createIdpApp } from './idp-app.ts';
import { createPassportSocket } from './passport/passport-socket.ts';
import { serviceOptions } from './start-service.ts';

const DATABASE = 'identity';
const MAIL_DRAIN_MS = 5_000;
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
    const mail = mailSender(env, mongo);
    const deps = identityDeps(env, mongo, mail, log);
    await deps.signer.reload();
    const linkFile = join(env.DATA_DIR, 'first-admin-link');
    await rm(linkFile, { force: true });
    await bootstrapIdentity(deps, { onFirstAdminLink: ({ url }) => writePrivately(linkFile, `${url}\n`) });
    const checks = { mongo: () => mongo.ping() };
    const app = createIdpApp(deps, await serviceOptions(env, { log, stopping, now, checks }));
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
    const stopForwarding = forwardToLedger(env, mongo, log);
    const stop = async (): Promise<void> => {
      await Promise.all([server.stop(), stopForwarding()]);
      // What was promised in a reply is sent, unless the mail server is away.
      await Promise.race([deps.mailQueue.idle(), delay(MAIL_DRAIN_MS, undefined, { ref: false })]);
      mail.close();
      await mongo.close();
    };
    return { address: server.address, stop };
  } catch (error) {
    await mongo.close();
    throw error;
  }
}

/** Tells the audit ledger what changes here, where there is one. */
function forwardToLedger(env: IdpEnv, mongo: MongoConnection, log: Logger): () => Promise<void> {
  const { AUDIT_URL: auditUrl, INTERNAL_SERVICE_KEY: internalKey } = env;
  if (auditUrl === undefined) return async () => undefined;
  return forwardTrail({ trail: createAuditForwarding(mongo), auditUrl, internalKey, namespace: 'identity', log });
}

type ClosingSender = MailSender & { close(): void };

/** A real mail server where there is one, else the outbox. */
function mailSender(env: IdpEnv, { db }: MongoConnection): ClosingSender {
  if (env.SMTP_URL === undefined) return { ...createOutboxSender({ db, now }), close: () => undefined };
  return createSmtpSender({ url: env.SMTP_URL, from: env.MAIL_FROM, allowPlaintext: env.SMTP_ALLOW_PLAINTEXT });
}

function identityDeps(env: IdpEnv, { db }: MongoConnection, mail: MailSender, log: Logger): IdentityDeps {
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
    mail,
    mailQueue: createMailQueue({ log }),
    newId,
    now,
    log,
    settings: {
      issuer: env.IDP_URL,
      platformName: env.PLATFORM_NAME,
      platformOrg: env.PLATFORM_ORG,
      externalAudiences: env.IDP_EXTERNAL_AUDIENCES,
      auditUrl: env.AUDIT_URL,
      secureCookies: env.IDP_URL.startsWith('https:'),
      openOutbox: env.OPEN_OUTBOX,
    },
  };
}

/**
 * Into a file that its owner alone can read, in one step: in a log it would be everybody's who reads logs, and another
 * process may write the same file.
 */
async function writePrivately(path: string, text: string): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  await writeFile(partial, text, { mode: 0o600 });
  await rename(partial, path);
}
