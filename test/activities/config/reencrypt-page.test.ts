import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ConfigDeps, createConfigActivities } from '../../../activities/config/index.ts';
import {
  secretsOfAcmeAccounts,
  secretsOfCertificates,
  secretsOfConnections,
  secretsOfDatabases,
  secretsOfLocker,
  secretsOfReleases,
  secretsOfServices,
} from '../../../activities/config/stored-secrets.ts';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import { SECRET_KINDS } from '../../../domain/config/messages.ts';
import { openSecrets, openVariables, variablesIn } from '../../../domain/config/service-variables.ts';
import { certificateKeyContext } from '../../../domain/custom-domains/certificates/certificate.ts';
import { ACCOUNT_KEY_CONTEXT } from '../../../domain/custom-domains/certificates/stores.ts';
import { openLogin, sealLogin } from '../../../domain/databases/login.ts';
import { sealingContext, TOKEN_KEY } from '../../../domain/git-hooks/connection.ts';
import { openField, valueContext } from '../../../domain/locker/item-values.ts';
import { openCredential, sealCredential } from '../../../domain/oauth-clients/credential.ts';
import { storedCertificate, storedOrder } from '../../ports/certificate-stores.ts';
import { databaseRecord } from '../../ports/database-records.ts';
import { connectionRecord } from '../../ports/git-hooks/records.ts';
import { lockerItem } from '../../ports/locker-store.ts';
import { releaseRecord } from '../../ports/records.ts';
import {
  createInMemoryAcmeAccounts,
  createInMemoryCertificateRecords,
} from '../../support/in-memory/certificate-stores.ts';
import { createInMemoryDatabaseRecords } from '../../support/in-memory/database-records.ts';
import { createInMemoryGitConnectionStore } from '../../support/in-memory/git-hook-stores.ts';
import { createInMemoryLockerStore } from '../../support/in-memory/locker-store.ts';
import { createInMemoryReleaseStore } from '../../support/in-memory/release-store.ts';
import { createInMemoryServiceStore } from '../../support/in-memory/service-store.ts';
import { asActivity } from '../deploys/as-activity.ts';

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);
const older = createSecretCipher([OLD]);
const both = createSecretCipher([NEW, OLD]);
const newer = createSecretCipher([NEW]);

/** A service with a secret of each kind, and a release of it, all sealed with the earlier key. */
async function stored() {
  const services = createInMemoryServiceStore({ now: () => new Date(0) });
  const releases = createInMemoryReleaseStore();
  const { service } = await services.upsert(
    { id: 'svc_shop', name: 'shop', org: 'acme' },
    { config: { PLAIN: '1' }, secrets: { ALL: older.seal('all', { service: 'shop', key: 'ALL' }) } },
  );
  const own = older.seal('own', { service: 'shop', environment: 'uat', key: 'OWN' });
  await services.changeVariables(service.id, 'uat', { config: {}, secrets: { OWN: own }, marks: {} });
  const client = { clientId: 'shop-prod', clientSecret: 'client' };
  await services.setOAuthCredential(service.id, 'prod', sealCredential(older, 'shop', 'prod', client));
  const kept = older.seal('kept', { service: 'shop', environment: 'prod', key: 'KEPT' });
  await releases.put(releaseRecord({ id: 'rel_shop', service: 'shop', environment: 'prod', secrets: { KEPT: kept } }));
  const connections = createInMemoryGitConnectionStore();
  const place = (key: string) => sealingContext('gcn_shop', key);
  const hook = { id: 'ghs_1', sealed: older.seal('hook', place('ghs_1')), createdAt: new Date(0) };
  const token = older.seal('token', place(TOKEN_KEY));
  await connections.insert(connectionRecord({ id: 'gcn_shop', secrets: [hook], token }));
  const databases = createInMemoryDatabaseRecords();
  const database = { engine: 'postgres', service: 'shop', environment: 'prod', database: 'shop_prod' } as const;
  const login = sealLogin(older, database, { user: 'shop_prod_a', password: 'of the database' }, new Date(0));
  const ofOther = (password: string) => sealLogin(older, database, { user: 'shop_prod_b', password }, new Date(0));
  const logins = { login, next: ofOther('prepared'), retired: ofOther('retired') };
  await databases.claim(databaseRecord({ ...database, id: 'postgres/shop_prod', ...logins }));
  const certificates = createInMemoryCertificateRecords();
  const owner = { service: 'shop', environment: 'prod' } as const;
  const keyOf = (text: string) => older.seal(text, certificateKeyContext(owner));
  await certificates.keepOrder(owner, { ...storedOrder('1'), key: keyOf('served') });
  await certificates.keepCertificate(owner, { ...storedCertificate('aa'), key: keyOf('served') }, '1');
  await certificates.keepOrder(owner, { ...storedOrder('2'), key: keyOf('ordered') });
  const accounts = createInMemoryAcmeAccounts();
  const account = { directoryUrl: 'https://ca.example/directory', url: null };
  await accounts.keep({ ...account, key: older.seal('account', ACCOUNT_KEY_CONTEXT) });
  const secrets = {
    certificates: secretsOfCertificates(certificates),
    'acme-accounts': secretsOfAcmeAccounts(accounts),
    services: secretsOfServices(services),
    releases: secretsOfReleases(releases),
    'git-connections': secretsOfConnections(connections),
    databases: secretsOfDatabases(databases),
  };
  return { services, releases, connections, databases, certificates, accounts, secrets };
}

type Stored = Awaited<ReturnType<typeof stored>>;

function kindsOf(secrets: Stored['secrets'], cipher: typeof older): ConfigDeps {
  const sealed = { cipher, variable: 'CONFIG_ENCRYPTION_KEY' };
  return Object.fromEntries(SECRET_KINDS.map((kind) => [kind, { ...sealed, secrets: secrets[kind] }]));
}

async function values(
  { services, releases, connections, databases, certificates, accounts }: Stored,
  cipher: typeof older,
) {
  const service = await services.find('shop');
  const release = await releases.find('rel_shop');
  const connection = await connections.find('gcn_shop');
  const database = await databases.find('postgres/shop_prod');
  const certificate = await certificates.find({ service: 'shop', environment: 'prod' });
  const account = await accounts.find('https://ca.example/directory');
  assert.ok(certificate?.order && certificate.current && account !== null);
  assert.ok(service !== null && release !== null && connection?.token && database !== null);
  return {
    uat: openVariables(cipher, { service: 'shop', environment: 'uat' }, variablesIn(service, 'uat')).secrets,
    client: openCredential(cipher, service, 'prod')?.clientSecret,
    release: openSecrets(cipher, { service: 'shop', environment: 'prod' }, release.secrets),
    hooks: connection.secrets.map(({ id, sealed }) => cipher.open(sealed, sealingContext(connection.id, id))),
    logins: [database.login, database.next, database.retired].map(
      (one) => one && openLogin(cipher, database, one).password,
    ),
    certificates: [certificate.order.key, certificate.current.key].map((key) =>
      cipher.open(key, certificateKeyContext(certificate)),
    ),
    account: cipher.open(account.key, ACCOUNT_KEY_CONTEXT),
    token: cipher.open(connection.token, sealingContext(connection.id, TOKEN_KEY)),
  };
}

const VALUES = {
  uat: { ALL: 'all', OWN: 'own' },
  client: 'client',
  release: { KEPT: 'kept' },
  hooks: ['hook'],
  token: 'token',
  certificates: ['ordered', 'served'],
  account: 'account',
  logins: ['of the database', 'prepared', 'retired'],
};

async function sweep({ secrets }: Stored, cipher = both) {
  const { reencryptPage } = createConfigActivities(kindsOf(secrets, cipher));
  const done = [];
  for (const kind of SECRET_KINDS) {
    const page = await asActivity(() => reencryptPage({ kind, cursor: null }));
    assert.equal(page.nextCursor, null);
    done.push(page.done);
  }
  return done;
}

describe('sealing stored secrets with the current key', () => {
  it('reaches variables of all environments and of one, client credentials, releases, connections to git, every login of a database and keys of certificates', async () => {
    const parts = await stored();
    await assert.rejects(values(parts, newer));
    assert.deepEqual(
      (await sweep(parts)).map(({ resealed }) => resealed),
      [3, 1, 2, 3, 2, 1],
    );
    assert.deepEqual(await values(parts, newer), VALUES, 'the earlier key is needed no more');
  });

  it('a second sweep changes nothing', async () => {
    const parts = await stored();
    await sweep(parts);
    const before = [await parts.services.find('shop'), await parts.releases.find('rel_shop')];
    for (const { checked, resealed } of await sweep(parts)) assert.deepEqual([checked > 0, resealed], [true, 0]);
    assert.deepEqual([await parts.services.find('shop'), await parts.releases.find('rel_shop')], before);
  });

  it('tells of a later attempt that an earlier one may have sealed some', async () => {
    const { reencryptPage } = createConfigActivities(kindsOf((await stored()).secrets, both));
    const page = (attempt: number) =>
      asActivity(() => reencryptPage({ kind: 'services', cursor: null, keyId: both.keyId }), { attempt });
    assert.deepEqual([(await page(1)).again, (await page(2)).again], [false, true]);
  });

  it('seals the values of the locker, of orgs and of people, with its own key alone', async () => {
    const items = createInMemoryLockerStore();
    const places = [
      { owner: { kind: 'org', id: 'acme' }, vault: 'main', name: 'a' },
      { owner: { kind: 'person', id: 'usr_1' }, vault: 'main', name: 'a' },
    ] as const;
    for (const place of places) {
      const fields = ['x', 'y'].map((name) => {
        return { name, secret: true, value: older.seal(`${name} of ${place.owner.id}`, valueContext(place, name)) };
      });
      await items.insert(lockerItem({ ...place, fields }));
    }
    const locker = { cipher: both, variable: 'LOCKER_ENCRYPTION_KEY', secrets: secretsOfLocker(items) };
    const { reencryptPage } = createConfigActivities({ 'locker-items': locker });
    const page = () => asActivity(() => reencryptPage({ kind: 'locker-items', cursor: null, keyId: both.keyId }));
    assert.deepEqual([(await page()).done.resealed, (await page()).done.resealed], [4, 0]);
    for (const place of places) {
      const item = await items.find(place);
      assert.ok(item);
      assert.deepEqual(
        item.fields.map((field) => openField(newer, item, field)),
        [`x of ${place.owner.id}`, `y of ${place.owner.id}`],
      );
    }
    await assert.rejects(
      asActivity(() => reencryptPage({ kind: 'services', cursor: null, keyId: both.keyId })),
      { code: 'UNAVAILABLE', retryable: true },
    );
  });

  it('a value that was changed or removed meanwhile is left as it is', async () => {
    const parts = await stored();
    const page = await parts.secrets.services.read({ cursor: null, limit: 9 });
    const fresh = newer.seal('fresh', { service: 'shop', key: 'ALL' });
    await parts.services.changeVariables('svc_shop', null, { config: {}, secrets: { ALL: fresh }, marks: {} });
    await parts.services.changeVariables('svc_shop', 'uat', { config: {}, secrets: { OWN: null }, marks: {} });
    for (const { context, secret, replace } of page.items)
      await replace(both.seal(older.open(secret, context), context));
    const service = await parts.services.find('shop');
    assert.deepEqual([service?.secrets, service?.overrides.uat?.secrets], [{ ALL: fresh }, {}]);
  });

  it('leaves a run for another key to the workers that have it in front', async () => {
    const parts = await stored();
    const { reencryptPage } = createConfigActivities(kindsOf(parts.secrets, older));
    const before = await parts.services.find('shop');
    await assert.rejects(
      asActivity(() => reencryptPage({ kind: 'services', cursor: null, keyId: both.keyId })),
      { code: 'UNAVAILABLE', retryable: true, message: new RegExp(`is for key ${both.keyId}`) },
    );
    assert.deepEqual(await parts.services.find('shop'), before);
  });

  it('names what no key opens, leaves it, and goes on', async () => {
    const parts = await stored();
    const lost = createSecretCipher([Buffer.alloc(32, 9)]).seal('lost', { service: 'shop', key: 'LOST' });
    await parts.services.changeVariables('svc_shop', null, { config: {}, secrets: { LOST: lost }, marks: {} });
    const [services] = await sweep(parts);
    assert.deepEqual(services?.unreadable, { count: 1, first: [{ service: 'shop', environment: null, name: 'LOST' }] });
    assert.equal(services?.resealed, 3);
    assert.deepEqual((await parts.services.find('shop'))?.secrets.LOST, lost);
  });
});
