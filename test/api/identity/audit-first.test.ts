import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import { type Answer, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { createCallers } from '../orgs/callers.ts';
import { type Headless, seedHeadless } from './embed/embed-fixture.ts';
import { createLogins, type Logins } from './oauth/logins.ts';
import { createBrowser } from './pages/browse.ts';

const PASSWORD = 'a sentence nobody guesses';
const CALLBACK = 'https://shop.example/api/auth/callback';
const CLIENTS = '/api/internal/oauth-clients';

describe('what cannot be told in the audit trail is not done, so no secret and no change is lost', () => {
  let idp: TestIdp;
  let shop: Headless;
  let logins: Logins;
  before(async () => {
    idp = await startIdp();
    logins = createLogins(idp);
    shop = await seedHeadless(idp, 'acme');
  });
  after(() => idp.stop());

  const call = (method: string, path: string, json?: unknown): Promise<Answer> =>
    idp.call(method, path, { headers: idp.internal, ...(json === undefined ? {} : { json }) });

  /** The request while the audit trail cannot be written: refused, and everything is as before. */
  async function refusedWithoutTrail<T>(request: () => Promise<{ status: number }>, state: () => Promise<T>) {
    const { audit } = idp.deps;
    const record = () => Promise.reject(new FairleadError('UNAVAILABLE', 'away', { retryable: true }));
    const before = await state();
    Object.assign(idp.deps, { audit: { ...audit, record } });
    const { status } = await request();
    Object.assign(idp.deps, { audit });
    assert.equal(status, 503);
    assert.deepEqual(await state(), before);
  }

  it('of a client that is made by hand or by a deploy', async () => {
    const byHand = () => call('POST', CLIENTS, { clientId: 'made', name: 'Made', orgSlug: 'acme' });
    await refusedWithoutTrail(byHand, () => idp.deps.clients.find('made'));
    assert.equal(typeof (await byHand()).body.data.clientSecret, 'string');
    const wanted = {
      ...{ service: 'notes', environment: 'prod', orgSlug: 'acme', create: true, newSecret: false },
      ...{ redirectUris: [], scopes: ['openid'], grantTypes: ['client_credentials'] },
    };
    const byDeploy = () => call('POST', `${CLIENTS}/provision`, wanted);
    await refusedWithoutTrail(byDeploy, () => idp.deps.clients.find('notes-prod'));
    assert.equal(typeof (await byDeploy()).body.data.clientSecret, 'string');
  });

  it('of a client that gets another, or a new one in the place of all', async () => {
    const { clientId } = (await idp.seedClient('rotated', { orgSlug: 'acme' })).client;
    const secrets = async () => (await idp.deps.clients.find(clientId))?.secrets.map(({ id }) => id);
    for (const path of ['secrets', 'regenerate-secret']) {
      const request = () => call('POST', `${CLIENTS}/${clientId}/${path}`);
      await refusedWithoutTrail(request, secrets);
      assert.equal(typeof (await request()).body.data.clientSecret, 'string', path);
    }
  });

  it('of a client whose fields, redirect URIs or secrets change, or that is removed', async () => {
    const { clientId } = (await idp.seedClient('changed', { orgSlug: 'acme', redirectUris: [CALLBACK] })).client;
    const [kept] = (await idp.deps.clients.find(clientId))?.secrets ?? [];
    const path = `${CLIENTS}/${clientId}`;
    const requests = [
      () => call('PATCH', path, { name: 'Other', whiteLabel: { emailFromName: 'Shop' } }),
      () => call('PATCH', path, { allowedScopes: ['openid'] }),
      () => call('POST', `${path}/redirect-uris`, { redirectUri: 'https://shop.example/other' }),
      () => call('DELETE', `${path}/redirect-uris`, { redirectUri: CALLBACK }),
      () => call('DELETE', `${path}/secrets/${kept?.id}`),
      () => call('DELETE', path),
    ];
    const state = () => idp.deps.clients.find(clientId);
    for (const request of requests) {
      await refusedWithoutTrail(request, state);
      const { status } = await request();
      assert.ok(status < 300, `${request} ${status}`);
    }
    assert.equal(await state(), null);
  });

  it('of an org that is made, or whose policy, look or suspension changes', async () => {
    const state = () => idp.deps.orgs.find('told');
    const made = () => call('POST', '/api/v2/orgs', { slug: 'told', name: 'Told' });
    await refusedWithoutTrail(made, state);
    assert.equal((await made()).status, 201);
    for (const json of [{ policy: { sessionHours: 8 } }, { whiteLabel: { emailFromName: 'x' } }, { suspended: true }]) {
      const change = () => call('PATCH', '/api/v2/orgs/told', json);
      await refusedWithoutTrail(change, state);
      assert.equal((await change()).status, 200);
    }
  });

  it('of a client that may manage the people of an org, or no longer', async () => {
    const { clientId } = (await idp.seedClient('manages', { orgSlug: 'acme' })).client;
    const path = `/api/v2/orgs/acme/grants/${clientId}`;
    const state = () => idp.deps.orgGrants.find(clientId, 'acme');
    for (const method of ['PUT', 'DELETE']) {
      await refusedWithoutTrail(() => call(method, path), state);
      assert.equal((await call(method, path)).status, 200, method);
    }
    const { items } = await idp.deps.audit.list({ subject: clientId }, { cursor: null, limit: 5 });
    assert.deepEqual(items.map(({ type }) => type).toSorted(), ['org.grant_approved', 'org.grant_revoked']);
  });

  it('of the org that somebody chooses to act in', async () => {
    await idp.seedOrg('second');
    const person = await createCallers(idp).person({ org: 'acme', email: 'chooses@example.com' });
    await call('PUT', `/api/v2/orgs/second/members/${person.id}`, { roles: ['member'] });
    const choose = () => person.call('PATCH', '/api/v2/me', { primaryOrg: 'second' });
    await refusedWithoutTrail(choose, async () => (await idp.deps.users.find(person.id))?.primaryOrg);
    assert.equal((await choose()).status, 200);
  });

  it('of an authenticator app that is removed', async () => {
    const user = await idp.seedUser('removes@example.com', { password: PASSWORD });
    const browser = createBrowser(idp);
    await browser.logIn(user.email, PASSWORD);
    const secret = idp.deps.cipher.seal('JBSWY3DPEHPK3PXP', { service: `user/${user.id}`, key: 'totp' });
    const since = idp.deps.now();
    await idp.deps.users.setTotp(user.id, { secret, confirmedAt: null, lastStep: null, since: null });
    await idp.deps.users.confirmTotp(user.id, secret, 1, since, since);
    const code = 'cdefg-hjkmn';
    await idp.deps.users.update(user.id, { recoveryCodes: [idp.deps.tokens.hash(code.replace('-', ''))] });
    const asked = await browser.open('/account/second-factor');
    const shown = await browser.submit(asked, '/account/second-factor', { code });
    const remove = () => browser.submit(shown, '/account/totp/remove');
    await refusedWithoutTrail(remove, async () => (await idp.deps.users.find(user.id))?.totp);
    assert.equal((await remove()).location, '/account?notice=totp-off');
    assert.equal((await idp.deps.users.find(user.id))?.totp, null);
  });

  it('of a member whose rights change, who is suspended or restored, or taken out', async () => {
    const admin = await idp.seedUser('admin@example.com', { org: 'acme', orgRoles: ['admin'] });
    const member = await idp.seedUser('member@example.com', { org: 'acme', orgRoles: ['member'] });
    const org = await idp.deps.orgs.find('acme');
    const path = `/api/v2/orgs/acme/members/${member.id}`;
    const requests = [
      () => call('PUT', path, { roles: ['viewer'] }),
      () => call('POST', `${path}/suspend`),
      () => call('POST', `${path}/restore`),
      () => call('DELETE', path),
    ];
    const state = () => idp.deps.memberships.find(member.id, org?.id ?? '');
    for (const request of requests) {
      await refusedWithoutTrail(request, state);
      const { status } = await request();
      assert.equal(status, 200, `${request}`);
    }
    assert.equal(await state(), null);
    const told = () => idp.db.collection('audit_events').countDocuments({ subject: admin.id });
    const before = await told();
    assert.equal((await call('PUT', `/api/v2/orgs/acme/members/${admin.id}`, { roles: ['viewer'] })).status, 409);
    assert.equal(await told(), before, 'what is refused is not told');
  });

  it('of a person whose name or platform roles change, who is suspended or restored', async () => {
    const root = await createCallers(idp).person({ platformRoles: ['super_admin'] });
    const user = await idp.seedUser('ranks@example.com', { org: 'acme' });
    const path = `/api/v2/users/${user.id}`;
    const requests = [
      () => root.call('PATCH', path, { firstName: 'Grace' }),
      () => root.call('PATCH', path, { platformRoles: ['devops'] }),
      () => root.call('PATCH', path, { platformRoles: [] }),
      () => root.call('POST', `${path}/suspend`),
      () => root.call('POST', `${path}/restore`),
    ];
    const state = async () => ({ ...(await idp.deps.users.find(user.id)), updatedAt: null });
    for (const request of requests) {
      await refusedWithoutTrail(request, state);
      const before = await state();
      assert.equal((await request()).status, 200, `${request}`);
      assert.notDeepEqual(await state(), before, `${request}`);
    }
    const told = () => idp.db.collection('audit_events').countDocuments({ subject: root.id });
    const before = await told();
    assert.equal((await root.call('PATCH', `/api/v2/users/${root.id}`, { platformRoles: [] })).status, 409);
    assert.equal((await root.call('POST', `/api/v2/users/${root.id}/suspend`)).status, 409);
    assert.equal(await told(), before, 'what is refused is not told');
  });

  it('of a login, a session or a token that is ended, by whomever', async () => {
    const user = await idp.seedUser('ends@example.com', { org: 'acme' });
    const of = await logins.client({ orgSlug: 'acme' });
    const alive = async () => {
      const [grants, sessions, denied] = await Promise.all([
        idp.deps.grants.listOfUser(user.id, idp.deps.now()),
        idp.deps.sessions.listOfUser(user.id, idp.deps.now()),
        idp.db.collection('revocations').find({}).toArray(),
      ]);
      return { grants: grants.map(({ id }) => id), sessions: sessions.map(({ id }) => id), denied };
    };
    const begin = () => logins.login(of, user, { audience: [idp.issuer] });
    const giveUp = (token = '') =>
      idp.call('POST', '/api/oauth/revoke', { form: { ...logins.credentials(of), token } });
    const ends: readonly [string, (login: Awaited<ReturnType<typeof begin>>) => Promise<Answer>, number][] = [
      ['oauth.grant_revoked', ({ tokens }) => giveUp(tokens.refresh_token), 200],
      ['oauth.token_revoked', ({ tokens }) => giveUp(tokens.access_token), 200],
      [
        'session.revoked',
        ({ tokens, sessionId }) => {
          const headers = { authorization: `Bearer ${tokens.access_token}` };
          return idp.call('DELETE', `/api/v2/me/sessions/${sessionId}`, { headers });
        },
        200,
      ],
      ['user.logins_revoked', () => call('DELETE', `/api/v2/orgs/acme/members/${user.id}/sessions`), 200],
    ];
    for (const [type, end, ended] of ends) {
      const login = await begin();
      const told = () => idp.db.collection('audit_events').countDocuments({ type });
      const before = await told();
      await refusedWithoutTrail(() => end(login), alive);
      const { status, text } = await end(login);
      assert.equal(status, ended, text);
      assert.equal(await told(), before + 1, type);
    }
  });

  it('of a refresh token that is used again, and the login is told once however often it is', async () => {
    const user = await idp.seedUser('replayed@example.com', { org: 'acme' });
    const of = await logins.client({ orgSlug: 'acme' });
    const { tokens } = await logins.login(of, user);
    await logins.refresh(of, tokens.refresh_token);
    idp.advance(60_000);
    const replay = () => logins.refresh(of, tokens.refresh_token);
    const alive = async () => (await idp.deps.grants.listOfUser(user.id, idp.deps.now())).map(({ id }) => id);
    const [grantId] = await alive();
    await refusedWithoutTrail(replay, alive);
    // Cut off after it was told: who repeats it ends the login and tells nothing twice.
    const { revocations } = idp.deps;
    const add = () => Promise.reject(new FairleadError('UNAVAILABLE', 'away', { retryable: true }));
    Object.assign(idp.deps, { revocations: { ...revocations, add } });
    assert.equal((await replay()).status, 503);
    Object.assign(idp.deps, { revocations });
    assert.equal((await replay()).status, 400);
    assert.deepEqual(await alive(), []);
    const told = { type: 'oauth.grant_revoked', subject: grantId };
    assert.equal(await idp.db.collection('audit_events').countDocuments(told), 1);
  });

  it('of signing keys that are rotated', async () => {
    idp.advance(3 * 60_000);
    const rotate = () => call('POST', '/api/admin/keys/rotate', { force: true });
    await refusedWithoutTrail(rotate, () => idp.deps.signingKeys.read());
    const { status, body } = await rotate();
    assert.equal(status, 200);
    const { items } = await idp.deps.audit.list({ type: 'keys.rotated' }, { cursor: null, limit: 10 });
    assert.deepEqual(
      items.map(({ subject }) => subject),
      [body.data.activated],
    );
  });

  it('of a password that is changed', async () => {
    const user = await idp.seedUser('changes@example.com', { password: PASSWORD });
    const browser = createBrowser(idp);
    await browser.logIn(user.email, PASSWORD);
    const page = await browser.open('/account');
    const change = () =>
      browser.submit(page, '/account/password', { current: PASSWORD, password: 'another one of mine' });
    await refusedWithoutTrail(change, async () => (await idp.deps.users.find(user.id))?.passwordHash);
    assert.equal((await change()).status, 303);
  });

  it('of an invitation or a reset that is handed over: the link of before goes on', async () => {
    const user = await idp.seedUser('ada@example.com', { org: 'acme', password: PASSWORD });
    const links = () => idp.db.collection('one_time_links').find({ userId: user.id }).toArray();
    const reset = () => shop.call('forgot-password', { email: user.email, sendEmail: false });
    assert.equal((await reset()).status, 200);
    await refusedWithoutTrail(reset, links);
    const invites = () => idp.db.collection('invites').find({}).toArray();
    const invite = () =>
      call('POST', '/api/v2/orgs/acme/invites', { email: 'bob@example.com', role: 'member', sendEmail: false });
    const { status, body } = await invite();
    assert.equal(status, 201);
    await refusedWithoutTrail(invite, invites);
    const withdraw = () => call('DELETE', `/api/v2/orgs/acme/invites/${body.data.id}`);
    await refusedWithoutTrail(withdraw, invites);
    assert.equal((await withdraw()).status, 200);
  });

  it('of recovery codes: those that their owner has go on', async () => {
    const user = await idp.seedUser('codes@example.com', { password: PASSWORD });
    const browser = createBrowser(idp);
    await browser.logIn(user.email, PASSWORD);
    const passkey = { credentialId: 'cred', publicKey: 'cG9z', counter: 0, transports: [], name: 'phone' };
    await idp.deps.users.addPasskey(
      user.id,
      { ...passkey, createdAt: idp.deps.now(), lastUsedAt: null, since: idp.deps.now() },
      0,
    );
    const [first, second] = ['abcde-fghjk', 'bcdef-ghjkm'];
    const hashes = [first, second].map((code) => idp.deps.tokens.hash(code.replace('-', '')));
    await idp.deps.users.update(user.id, { recoveryCodes: hashes });
    const page = await browser.submit(await browser.open('/account/second-factor'), '/account/second-factor', {
      code: first,
    });
    const renew = () => browser.submit(page, '/account/recovery-codes');
    await refusedWithoutTrail(renew, async () => (await idp.deps.users.find(user.id))?.recoveryCodes);
    assert.equal((await renew()).status, 200);
  });
});
