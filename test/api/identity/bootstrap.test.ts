import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bootstrapIdentity, completeFirstAdmin, type FirstAdminLink } from '../../../api/identity/bootstrap.ts';
import type { IdentityDeps } from '../../../api/identity/deps.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { SERVICE_ROWS } from '../../../domain/services.ts';
import { dyingAt } from '../../support/dying-at.ts';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';
import { visit } from './visit.ts';

let idp: TestIdp;
/** Of every service that takes tokens. */
const AUDIENCES = SERVICE_ROWS.flatMap(({ platformClient }) => platformClient ?? []);
const ADMIN = { firstName: 'Ada', lastName: 'Lovelace', password: 'a sentence nobody guesses' };

before(async () => {
  idp = await startIdp({ database: 'server' });
});
after(() => idp.stop());

const tokenOf = (url: string | undefined): string => new URL(url ?? '').searchParams.get('token') ?? '';

async function start(deps: IdentityDeps = idp.deps): Promise<FirstAdminLink[]> {
  const links: FirstAdminLink[] = [];
  await bootstrapIdentity(deps, { onFirstAdminLink: async (link) => void links.push(link) });
  return links;
}

const codeOf = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'ok',
    (error: unknown) => (error instanceof FairleadError ? error.code : String(error)),
  );

const complete = (token: string, email: string, password = ADMIN.password) =>
  codeOf(completeFirstAdmin(idp.deps, visit(idp), { ...ADMIN, token, email, password }));

test('an installation has one org of its own and its clients, however many processes start it', async () => {
  await Promise.all(Array.from({ length: 20 }, () => start()));
  const { items } = await idp.deps.orgs.list({ cursor: null, limit: 10 });
  assert.deepEqual(
    items.map(({ slug, platform }) => [slug, platform]),
    [['platform', true]],
  );
  const cli = await idp.deps.clients.find('fairlead-cli');
  assert.deepEqual([cli?.clientType, cli?.trustedClient, cli?.secrets], ['public', false, []]);
  assert.deepEqual(cli?.defaultAudience, AUDIENCES);
  assert.equal((await idp.deps.clients.find('builder'))?.clientType, 'confidential');
  const [platform] = items;
  assert.ok(platform);
  assert.equal(await codeOf(idp.deps.orgs.insert({ ...platform, id: 'ORG-X', slug: 'second' })), 'ORG_EXISTS');
});

const updatesOf = async (subject: string) =>
  (await idp.deps.audit.list({ type: 'oauth.client_updated', subject }, { cursor: null, limit: 100 })).items;

test('the ledger’s pages are at AUDIT_URL and nowhere else', async () => {
  const urisOf = async () => (await idp.deps.clients.find('audit-ledger-pages'))?.redirectUris;
  const startAt = (auditUrl: string) => {
    const deps = { ...idp.deps, settings: { ...idp.deps.settings, serviceUrls: { 'audit-ledger': auditUrl } } };
    return Promise.all(Array.from({ length: 5 }, () => start(deps)));
  };
  assert.equal(await urisOf(), undefined, 'there is no client without a ledger');
  await startAt('http://localhost:3005');
  assert.deepEqual(await urisOf(), ['http://localhost:3005/api/auth/callback']);
  await startAt('https://audit.example');
  assert.deepEqual(await urisOf(), ['https://audit.example/api/auth/callback']);
  const before = await updatesOf('audit-ledger-pages');
  assert.deepEqual(before[0]?.data.fields, ['redirectUris']);
  await startAt('https://audit.example');
  await start();
  assert.deepEqual(await urisOf(), ['https://audit.example/api/auth/callback']);
  const after = await updatesOf('audit-ledger-pages');
  assert.equal(after.length, before.length, 'a start that changes nothing tells nothing');
});

test('what a start puts back is told once, wherever the start before was killed', async () => {
  const isBack = async () => (await idp.deps.clients.find('fairlead-cli'))?.trustedClient === false;
  let wasKilled = true;
  for (let kill = 1; wasKilled; kill += 1) {
    await idp.deps.clients.update('fairlead-cli', { trustedClient: true });
    const told = (await updatesOf('fairlead-cli')).length;
    const { clients, audit } = idp.deps;
    const deps = { ...idp.deps, ...dyingAt(kill, { clients, audit }) };
    wasKilled = (await codeOf(start(deps))) !== 'ok';
    await start();
    assert.deepEqual([await isBack(), (await updatesOf('fairlead-cli')).length], [true, told + 1], `call ${kill}`);
  }
});

test('a start puts the clients of the platform back to what they are defined as', async () => {
  const defined = await idp.deps.clients.find('fairlead-cli');
  await idp.deps.clients.update(
    'fairlead-cli',
    { allowedGrantTypes: [], defaultAudience: ['builder'], trustedClient: true, whiteLabel: { emailFromName: 'Evil' } },
    { redirectUris: ['https://evil.example/cb'] },
  );
  const secret = {
    id: 'sec_planted',
    hash: idp.deps.tokens.hash('x'),
    issuedFor: null,
    addedBy: null,
    createdAt: new Date(),
    lastUsedAt: null,
  };
  await idp.deps.clients.addSecret('builder', secret);
  await start();
  const { updatedAt: _, ...cli } = (await idp.deps.clients.find('fairlead-cli')) ?? {};
  const { updatedAt: __, ...expected } = defined ?? {};
  assert.deepEqual(cli, expected);
  assert.deepEqual((await idp.deps.clients.find('builder'))?.secrets, []);
  const [event] = await updatesOf('fairlead-cli');
  assert.deepEqual([...((event?.data.fields ?? []) as string[])].sort(), [
    'allowedGrantTypes',
    'defaultAudience',
    'redirectUris',
    'trustedClient',
    'whiteLabel',
  ]);
});

test('a start refuses to run with a client of the platform that belongs to another org', async () => {
  const other = await startIdp({ database: 'server' });
  try {
    await other.seedOrg('acme');
    await other.deps.clients.remove('builder');
    await other.seedClient('builder', { orgSlug: 'acme' });
    assert.equal(await codeOf(start(other.deps)), 'CONFLICT');
  } finally {
    await other.stop();
  }
});

test('each start opens a new link and voids the earlier ones', async () => {
  const [first] = await start();
  const [second] = await start();
  assert.match(second?.url ?? '', new RegExp(`^${idp.issuer}/welcome\\?token=flot_`));
  assert.equal(await complete(tokenOf(idp.firstAdminUrl), 'a@example.com'), 'LINK_INVALID');
  assert.equal(await complete(tokenOf(first?.url), 'a@example.com'), 'LINK_INVALID');
  for (const line of idp.logged) assert.doesNotMatch(line, /flot_/);
});

test('what is wrong with the input leaves the link open', async () => {
  const [link] = await start();
  const token = tokenOf(link?.url);
  await idp.seedUser('taken@example.com');
  assert.equal(await complete(token, 'no address'), 'VALIDATION_FAILED');
  assert.equal(await complete(token, 'x@platform.personas.invalid'), 'VALIDATION_FAILED');
  assert.equal(await complete(token, 'a@example.com', 'password123'), 'PASSWORD_REFUSED');
  assert.equal(await complete(token, 'Taken@example.com'), 'USER_EXISTS');
  assert.equal(await complete('flot_wrong', 'a@example.com'), 'LINK_INVALID');
  assert.equal((await idp.deps.links.find(idp.deps.tokens.hash(token), 'first_admin'))?.consumedAt, null);
});

test('of fifty who complete it at once one becomes the first admin, and then nobody more', async () => {
  const [link] = await start();
  const token = tokenOf(link?.url);
  const codes = await Promise.all(
    Array.from({ length: 50 }, (_, index) => complete(token, `first${index}@example.com`)),
  );
  assert.equal(codes.filter((code) => code === 'ok').length, 1);
  assert.equal(codes.filter((code) => code === 'LINK_INVALID').length, 49);
  assert.equal(await idp.deps.users.countWithPlatformRole('super_admin'), 1);
  const { items } = await idp.deps.users.list({ query: 'first' }, { cursor: null, limit: 10 });
  assert.equal(items.length, 1);
  const [admin] = items;
  assert.deepEqual(
    [admin?.platformRoles, admin?.primaryOrg, admin?.emailVerified],
    [['super_admin'], 'platform', true],
  );
  const [membership] = await idp.deps.memberships.listOfUser(admin?.id ?? '');
  assert.deepEqual([membership?.orgSlug, membership?.roles], ['platform', ['admin']]);
  assert.deepEqual(await start(), []);
  assert.equal(await complete(token, 'late@example.com'), 'LINK_INVALID');
});

test('a start with a setting that names another org than the platform is refused, says which one it is, and makes nothing', async () => {
  await idp.seedOrg('tenant');
  for (const platformOrg of ['renamed', 'tenant']) {
    const settings = { ...idp.deps.settings, platformOrg };
    await assert.rejects(start({ ...idp.deps, settings }), { code: 'CONFLICT', message: /set PLATFORM_ORG=platform$/ });
  }
  assert.equal((await idp.deps.orgs.findPlatformOrg())?.slug, 'platform');
  assert.equal(await idp.deps.orgs.find('renamed'), null);
});

test('the builder gets tokens for the locker by the secret of the settings, which starts put in and take away', async () => {
  const secret = 'builder-secret-of-this-test-0123456789';
  const withSecret = (clientSecrets: Record<string, string>) => ({
    ...idp.deps,
    settings: { ...idp.deps.settings, clientSecrets },
  });
  const ask = (clientSecret: string, more: Record<string, string> = {}) =>
    idp.call('POST', '/api/oauth/token', {
      form: {
        grant_type: 'client_credentials',
        client_id: 'builder',
        client_secret: clientSecret,
        audience: 'locker',
        ...more,
      },
    });
  assert.equal((await ask(secret)).status, 401, 'without a setting the client has no secret');
  await Promise.all(Array.from({ length: 5 }, () => start(withSecret({ builder: secret }))));
  const first = await idp.deps.clients.find('builder');
  assert.equal(first?.secrets.length, 1);
  assert.ok(!JSON.stringify(first).includes(secret));
  const told = (await updatesOf('builder')).length;
  await start(withSecret({ builder: secret }));
  assert.deepEqual(
    [(await updatesOf('builder')).length, (await idp.deps.clients.find('builder'))?.secrets[0]?.id],
    [told, first?.secrets[0]?.id],
  );
  const { body } = await ask(secret, { scope: 'locker-resolve' });
  assert.equal(body.scope, 'locker-resolve');
  const hooks = await ask(secret, { scope: 'webmaster:hooks', audience: 'site-registry' });
  const { aud } = JSON.parse(Buffer.from(hooks.body.access_token.split('.')[1], 'base64url').toString());
  assert.deepEqual([hooks.body.scope, aud], ['webmaster:hooks', 'site-registry'], 'and for the site registry');
  assert.equal((await ask(secret, { scope: 'platform:manage' })).status, 400);
  const another = `${secret}-another`;
  await start(withSecret({ builder: another }));
  assert.deepEqual([(await ask(secret)).status, (await ask(another)).status], [401, 200]);
  await start();
  assert.deepEqual((await idp.deps.clients.find('builder'))?.secrets, []);
});
