import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import { equalsSecret } from '../../adapters/crypto/equals-secret.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import { createPasswordHasher } from '../../adapters/crypto/password-hasher.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { createTokens } from '../../adapters/crypto/tokens.ts';
import { createKeyring } from '../../adapters/jose/keyring.ts';
import { createSigningKeyFactory } from '../../adapters/jose/signing-key-factory.ts';
import { createLogger } from '../../adapters/logging/logger.ts';
import { followDatabaseClock } from '../../adapters/mongo/database-clock.ts';
import { createIdentityIndexes, createIdentityStores } from '../../adapters/mongo/identity-database.ts';
import { createInternalKeyAuth } from '../../api/http/caller.ts';
import { clientAddress } from '../../api/http/client-address.ts';
import { startServer } from '../../api/http/server.ts';
import { bootstrapIdentity } from '../../api/identity/bootstrap.ts';
import { cacheReads } from '../../api/identity/cached-reads.ts';
import type { IdentityDeps } from '../../api/identity/deps.ts';
import { createMailQueue } from '../../api/identity/mail/mail-queue.ts';
import { createIdpApp } from '../../api/idp-app.ts';
import { createPassportSocket, type PassportSocketOptions } from '../../api/passport/passport-socket.ts';
import { newUser } from '../../domain/identity/new-user.ts';
import type { UserRecord } from '../../domain/identity/user.ts';
import type { ClientRecord } from '../../domain/oauth-clients/client.ts';
import { newMembership, newOrg, newOrgId } from '../../domain/orgs/new-org.ts';
import type { OrgRecord } from '../../domain/orgs/org.ts';
import type { OrgRole, PlatformRole } from '../../domain/roles.ts';
import { clientRecord } from '../ports/identity/records.ts';
import { freePort } from './free-port.ts';
import { captureMail } from './in-memory/captured-mail.ts';
import { createDatabase } from './in-memory/database/database.ts';
import { startMongo, type TestMongo } from './start-mongo.ts';

export const KEY = 'internal-key-of-this-test-0123456789';
/** Tests make thousands of hashes: at the full cost they take most of their time. */
const QUICK_HASH = { memory: 64, passes: 1, parallelism: 1 };
/** Of all providers of this process. */
export const ENCRYPTION_KEY = randomBytes(32);

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parsed JSON of any shape: tests look into it. */
  readonly body: ReturnType<typeof JSON.parse>;
}

export interface CallOptions {
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>> | URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * The identity provider's whole app on a free port of the loopback, with real stores and keys, a clock that tests move
 * forward, and mail that is kept in `mailbox`. Redirects are not followed.
 */
export async function startIdp(
  options: {
    requestsPerMinute?: number;
    passport?: Partial<PassportSocketOptions>;
    trustedProxies?: readonly string[];
    /** `server` for races, kills and several processes: test/README.md lists these files. In this process else. */
    database?: 'server';
    /** Another database than one of its own. */
    mongo?: TestMongo;
    /** Of another provider on that database, which calls itself the same. */
    issuer?: string;
  } = {},
) {
  const mongo = options.mongo ?? (options.database === 'server' ? await startMongo() : createDatabase());
  const { db } = mongo.connection;
  await createIdentityIndexes(db);
  const port = await freePort();
  const issuer = options.issuer ?? `http://localhost:${port}`;
  let aheadMs = 0;
  const clock = await followDatabaseClock({ db, onFailure: () => undefined });
  const ahead = (time: Date) => new Date(time.getTime() + aheadMs);
  const now = () => ahead(clock.now());
  const logged: string[] = [];
  const log = createLogger({ name: 'test', level: 'debug', secrets: [KEY] }, collect(logged));
  const cipher = createSecretCipher([ENCRYPTION_KEY]);
  const stores = createIdentityStores({ db, now });
  const mails = captureMail(now);
  const deps: IdentityDeps = {
    ...cacheReads(stores),
    cipher,
    signer: createKeyring({
      store: stores.signingKeys,
      factory: createSigningKeyFactory({ cipher, newId, now }),
      cipher,
      issuer,
      now,
    }),
    hasher: createPasswordHasher(QUICK_HASH),
    tokens: createTokens([ENCRYPTION_KEY]),
    mail: mails.sender,
    mailQueue: createMailQueue({ log, retryDelaysMs: [10, 10] }),
    newId,
    now,
    databaseTime: async () => ahead(await clock.read()),
    log,
    settings: {
      issuer,
      platformName: 'Fairlead',
      platformOrg: 'platform',
      externalAudiences: ['https://model.example'],
      serviceUrls: {},
      clientSecrets: {},
      secureCookies: false,
    },
  };
  await deps.signer.reload();
  let firstAdminUrl = '';
  await bootstrapIdentity(deps, {
    onFirstAdminLink: async ({ url }) => {
      firstAdminUrl = url;
    },
  });
  const stopping = new AbortController();
  const app = createIdpApp(deps, {
    authenticate: createInternalKeyAuth({ key: KEY, org: 'platform', equalsSecret }),
    newId,
    log,
    requestsPerMinute: options.requestsPerMinute ?? 1_000_000,
    trustedProxies: options.trustedProxies ?? [],
    stopping: stopping.signal,
    health: { commit: 'c0ffee', version: '1.2.3', now, checks: { mongo: () => mongo.connection.ping() } },
  });
  const server = await startServer(app, {
    host: '127.0.0.1',
    port,
    stopping,
    graceMs: 2_000,
    upgrade: createPassportSocket(deps, {
      stopping: stopping.signal,
      addressOf: (request) => clientAddress(app, request),
      ...options.passport,
    }),
  });

  async function call(method: string, path: string, { json, form, headers }: CallOptions = {}): Promise<Answer> {
    const body = json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json);
    const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
    const response = await fetch(server.address + path, {
      method,
      redirect: 'manual',
      headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
  }

  const stop = async (): Promise<void> => {
    await server.stop();
    clock.close();
    await mongo.stop();
    assert.deepEqual(mails.refused, [], 'recipients that the mail server had to refuse');
  };
  return {
    deps,
    db,
    issuer,
    address: server.address,
    call,
    /** Headers that make a call the platform's own. */
    internal: { 'x-internal-key': KEY },
    mailbox: mails.mailbox,
    logged,
    firstAdminUrl,
    /** Moves the clock forward. */
    advance: (ms: number) => {
      aheadMs += ms;
    },
    ...createSeeds(deps),
    server,
    mongo,
    stop,
  };
}

export type TestIdp = Awaited<ReturnType<typeof startIdp>>;

/** Records put straight into the stores, for tests that are about something else. */
function createSeeds(deps: IdentityDeps) {
  async function seedOrg(slug: string, fields: Partial<OrgRecord> = {}): Promise<OrgRecord> {
    const id = newOrgId(deps.tokens.letters);
    const org = { ...newOrg({ id, slug, name: `Org ${slug}`, modules: [] }, deps.now()), ...fields };
    await deps.orgs.insert(org);
    return org;
  }

  /** A person who is a member of `org` (a slug that exists), when one is given. */
  async function seedUser(
    email: string,
    given: {
      password?: string;
      org?: string;
      orgRoles?: readonly OrgRole[];
      platformRoles?: readonly PlatformRole[];
      fields?: Partial<UserRecord>;
    } = {},
  ): Promise<UserRecord> {
    const user = newUser(
      {
        id: deps.newId('user'),
        email,
        firstName: 'Ada',
        lastName: 'Lovelace',
        emailVerified: true,
        passwordHash: given.password === undefined ? null : await deps.hasher.hash(given.password),
        platformRoles: given.platformRoles ?? [],
        primaryOrg: given.org ?? null,
        ...given.fields,
      },
      deps.now(),
    );
    await deps.users.insert(user);
    const org = given.org === undefined ? null : await deps.orgs.find(given.org);
    if (org !== null) {
      const rights = { roles: given.orgRoles ?? (['member'] as const), modules: [] };
      await deps.memberships.put(newMembership(user.id, org, rights, deps.now()));
    }
    return user;
  }

  /** A client and its secret; `clientType: 'public'` has none. */
  async function seedClient(
    clientId: string,
    fields: Partial<ClientRecord> = {},
  ): Promise<{ client: ClientRecord; secret: string }> {
    const secret = deps.tokens.create('flcs');
    const kept = { id: deps.newId('clientSecret'), hash: deps.tokens.hash(secret), createdAt: deps.now() };
    const client = clientRecord({
      clientId,
      name: `Client ${clientId}`,
      orgSlug: 'platform',
      redirectUris: [],
      allowedGrantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
      refreshTokenTtlSeconds: 30 * 86_400,
      secrets: fields.clientType === 'public' ? [] : [{ ...kept, issuedFor: null, addedBy: null, lastUsedAt: null }],
      createdBy: 'internal',
      createdAt: deps.now(),
      updatedAt: deps.now(),
      ...fields,
    });
    await deps.clients.insert(client);
    return { client, secret };
  }

  return { seedOrg, seedUser, seedClient };
}

function collect(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
}
