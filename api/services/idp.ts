import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createPasswordHasher } from '../../adapters/crypto/password-hasher.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { createTokens } from '../../adapters/crypto/tokens.ts';
import { identitySection } from '../../adapters/env/identity.ts';
import type { ReadSection } from '../../adapters/env.ts';
import { createKeyring } from '../../adapters/jose/keyring.ts';
import { createSigningKeyFactory } from '../../adapters/jose/signing-key-factory.ts';
import { createOutboxSender } from '../../adapters/mail/outbox-sender.ts';
import { type DatabaseClock, followDatabaseClock } from '../../adapters/mongo/database-clock.ts';
import { createIdentityIndexes, createIdentityStores } from '../../adapters/mongo/identity-database.ts';
import type { MailSender } from '../../domain/identity/ports.ts';
import { serviceRow } from '../../domain/services.ts';
import { clientAddress } from '../http/client-address.ts';
import { bootstrapIdentity } from '../identity/bootstrap.ts';
import { cacheReads } from '../identity/cached-reads.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { createMailQueue } from '../identity/mail/mail-queue.ts';
import { createIdpApp } from '../idp-app.ts';
import { createPassportSocket } from '../passport/passport-socket.ts';
import { defineService, type ServiceParts } from '../service-definition.ts';
import { toldToLedger } from './told-to-ledger.ts';

type Parts = ServiceParts<ReadSection<typeof identitySection>, 'idp'>;

const MAIL_DRAIN_MS = 5_000;

/** The identity provider. Its start makes what every installation has from the first one on. */
export const idp = defineService({
  name: 'idp',
  section: identitySection,
  needs: ['mongo'],
  requestsPerMinute: 12_000,
  async compose(parts) {
    const { env, mongo, app: options } = parts;
    await createIdentityIndexes(mongo.db);
    const clock = parts.opened.adopt(await openClock(parts), ({ close }) => close());
    const deps = identityDeps(parts, await openMail(parts, clock), clock);
    // What was promised in a reply is sent, unless the mail server is away.
    parts.opened.defer(() => Promise.race([deps.mailQueue.idle(), delay(MAIL_DRAIN_MS, undefined, { ref: false })]));
    await deps.signer.reload();
    const linkFile = join(env.DATA_DIR, 'first-admin-link');
    await rm(linkFile, { force: true });
    await bootstrapIdentity(deps, { onFirstAdminLink: ({ url }) => writePrivately(linkFile, `${url}\n`) });
    const app = createIdpApp(deps, options);
    const addressOf = (request: Parameters<typeof clientAddress>[1]) => clientAddress(app, request);
    const upgrade = createPassportSocket(deps, { stopping: parts.stopping, addressOf });
    return { app, upgrade };
  },
});

/** Processes that issue and revoke tokens have one time, the database's, whatever the clocks of their machines say. */
function openClock({ mongo: { db }, log }: Parts): Promise<DatabaseClock> {
  return followDatabaseClock({ db, onFailure: (err) => log.warn({ err }, "the database's time cannot be read") });
}

/** A real mail server where there is one, else the outbox. The library for one takes memory, so it is loaded for one alone. */
async function openMail({ env, mongo: { db }, opened }: Parts, { now }: DatabaseClock): Promise<MailSender> {
  if (env.SMTP_URL === undefined) return createOutboxSender({ db, now });
  const { createSmtpSender } = await import('../../adapters/mail/smtp-sender.ts');
  const options = { url: env.SMTP_URL, from: env.MAIL_FROM, allowPlaintext: env.SMTP_ALLOW_PLAINTEXT };
  return opened.adopt(createSmtpSender(options), (sender) => sender.close());
}

function identityDeps(parts: Parts, mail: MailSender, clock: DatabaseClock): IdentityDeps {
  const { env, settings, publicUrl, mongo, log } = parts;
  const { db } = mongo;
  const { now } = clock;
  const { BUILDER_CLIENT_SECRET: builderSecret } = env;
  const cipher = createSecretCipher(env.IDP_ENCRYPTION_KEY);
  const stores = createIdentityStores({ db, now });
  return {
    ...cacheReads(stores),
    audit: toldToLedger(stores.audit, parts, { now, namespace: 'identity' }),
    cipher,
    signer: createKeyring({
      store: stores.signingKeys,
      factory: createSigningKeyFactory({ cipher, newId, now }),
      cipher,
      issuer: publicUrl,
      now,
    }),
    hasher: createPasswordHasher(),
    tokens: createTokens(env.IDP_ENCRYPTION_KEY),
    mail,
    mailQueue: createMailQueue({ log }),
    newId,
    now,
    databaseTime: clock.read,
    log,
    settings: {
      issuer: publicUrl,
      platformName: env.PLATFORM_NAME,
      platformOrg: settings.platformOrg,
      externalAudiences: env.IDP_EXTERNAL_AUDIENCES,
      serviceUrls: settings.urls,
      clientSecrets: builderSecret === undefined ? {} : { [serviceRow('builder').platformClient]: builderSecret },
      secureCookies: publicUrl.startsWith('https:'),
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
