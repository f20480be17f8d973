import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClientAdministration } from '../../../adapters/idp/client-administration.ts';
import type { RouteContext } from '../../../api/http/define-route.ts';
import { CACHED_READ_MS } from '../../../api/identity/cached-reads.ts';
import { refreshToken } from '../../../api/identity/oauth/grants/refresh-token.ts';
import type { AuthorizationCode } from '../../../domain/identity/login.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { newMembership } from '../../../domain/orgs/new-org.ts';
import type { SignInRule } from '../../../domain/sign-in-rule.ts';
import { KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';
import { seedHeadless, signupBody } from './embed/embed-fixture.ts';
import { CALLBACK, createLogins, type Logins, type Seeded } from './oauth/logins.ts';
import { answerOf, authorizePath, createBrowser, createPkce } from './pages/browse.ts';

const PASSWORD = 'correct horse battery';
/** Nothing of it is read where no token is used twice. */
const context = {} as RouteContext;
const never = new AbortController().signal;

/** `acme` owns `shop`, `rival` is another org. */
describe('a service for members of its org alone', () => {
  let idp: TestIdp;
  let logins: Logins;
  let shop: Seeded;
  let member: UserRecord;
  let outsider: UserRecord;
  let orgless: UserRecord;
  before(async () => {
    idp = await startIdp();
    logins = createLogins(idp);
    await idp.seedOrg('acme');
    await idp.seedOrg('rival');
    const fields = { orgSlug: 'acme', service: 'shop', environment: 'prod' as const, trustedClient: true };
    shop = await logins.client({ clientId: 'shop-prod', ...fields });
    member = await logins.person({ org: 'acme', password: PASSWORD });
    outsider = await logins.person({ org: 'rival', password: PASSWORD });
    orgless = await logins.person({ password: PASSWORD });
  });
  after(() => idp.stop());

  const set = async (signIn: SignInRule): Promise<boolean> => {
    const clients = createClientAdministration({ url: idp.address, internalKey: KEY });
    const place = { service: 'shop', environment: 'prod', orgSlug: 'acme' } as const;
    const reply = await clients.setSignIn({ ...place, signIn, epoch: 1 }, never);
    const client = await idp.deps.clients.find('shop-prod');
    assert.ok(client !== null);
    shop = { ...shop, client };
    // Logins that begin while another process may still know the earlier rule are void.
    idp.advance(CACHED_READ_MS + 1_000);
    return reply.changed;
  };
  const redeem = async (user: UserRecord) => logins.token(shop, (await logins.seedCode(shop, user)).form);
  const error = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error];

  it('redeems codes of members, and of nobody else', async () => {
    await set('members');
    assert.equal((await redeem(member)).status, 200);
    for (const user of [outsider, orgless]) assert.deepEqual(error(await redeem(user)), [400, 'invalid_grant']);
    await set('anyone');
    for (const user of [outsider, orgless]) assert.equal((await redeem(user)).status, 200);
  });

  it('ends what others began: their access tokens are void at once, and they refresh no more', async () => {
    await set('anyone');
    const [theirs, ours] = [await logins.login(shop, outsider), await logins.login(shop, member)];
    assert.equal(await set('members'), true);
    for (const { tokens } of [theirs, ours]) {
      assert.equal((await logins.introspect(shop, tokens.access_token)).active, false);
    }
    assert.deepEqual(error(await logins.refresh(shop, theirs.tokens.refresh_token)), [400, 'invalid_grant']);
    const { status, body } = await logins.refresh(shop, ours.tokens.refresh_token);
    assert.equal(status, 200);
    assert.equal((await logins.introspect(shop, body.access_token)).active, true);
    assert.equal(await set('members'), false, 'asked again, no token is void');
    assert.equal((await logins.introspect(shop, body.access_token)).active, true);
  });

  it('takes a member who leaves, or is suspended, for somebody else from the next token on', async () => {
    await set('members');
    const leaver = await logins.person({ org: 'acme' });
    const { tokens } = await logins.login(shop, leaver);
    const org = await idp.deps.orgs.find('acme');
    await idp.deps.memberships.setSuspended(leaver.id, org?.id ?? '', new Date());
    assert.equal((await logins.refresh(shop, tokens.refresh_token)).status, 400);
    assert.equal((await redeem(leaver)).status, 400);
  });

  it('sends others back to the client with access_denied, and members with a code', async () => {
    await set('members');
    const { challenge } = createPkce();
    const path = authorizePath({ client_id: 'shop-prod', redirect_uri: CALLBACK, code_challenge: challenge });
    for (const [user, expected] of [
      [member, undefined],
      [outsider, 'access_denied'],
      [orgless, 'access_denied'],
    ] as const) {
      const browser = createBrowser(idp);
      await browser.logIn(user.email, PASSWORD);
      const answer = answerOf(await browser.request('GET', path));
      assert.equal(answer.error, expected, JSON.stringify(answer));
      assert.equal(answer.code === undefined, expected !== undefined);
    }
  });

  it('signs nobody else in where its own pages ask for the password', async () => {
    const headless = await seedHeadless(idp, 'guild', { signIn: 'members' });
    const outside = await headless.call('login', { email: outsider.email, password: PASSWORD });
    assert.deepEqual([outside.status, outside.body.access_token], [400, undefined], outside.text);
    const inside = await logins.person({ org: 'guild', password: PASSWORD });
    assert.equal((await headless.call('login', { email: inside.email, password: PASSWORD })).status, 200);
    const signedUp = await headless.call('signup', signupBody('guild', 'grace@example.com'));
    assert.equal(signedUp.status, 201, 'a sign-up makes a member');
  });

  it('takes no login of a member that their org does not take, although another org of theirs does', async () => {
    await idp.seedOrg('strict', { policy: { secondFactorRequired: true, sessionHours: null } });
    const strict = await logins.client({ orgSlug: 'strict', signIn: 'members' });
    const both = await logins.person({ org: 'strict' });
    const rival = await idp.deps.orgs.find('rival');
    assert.ok(rival !== null);
    const rights = { roles: ['member'] as const, modules: [] };
    await idp.deps.memberships.put(newMembership(both.id, rival, rights, idp.deps.now()));
    const of = async (methods: AuthorizationCode['methods']) =>
      logins.token(strict, (await logins.seedCode(strict, both, { methods })).form);
    assert.deepEqual(error(await of(['pwd'])), [400, 'invalid_grant']);
    assert.equal((await of(['pwd', 'mfa'])).status, 200);
    const elsewhere = await logins.client({ orgSlug: 'strict' });
    assert.equal((await logins.token(elsewhere, (await logins.seedCode(elsewhere, both)).form)).status, 200);
  });

  it('refreshes by what the client may after the revocation that it waited for, not by what it was before', async () => {
    await set('anyone');
    const scopes = ['openid', 'notes:read'];
    await idp.deps.clients.update('shop-prod', {}, { allowedScopes: scopes });
    const before = await idp.deps.clients.find('shop-prod');
    assert.ok(before !== null);
    const [theirs, ours] = [
      await logins.login(shop, outsider, { scopes }),
      await logins.login(shop, member, { scopes }),
    ];
    const issuedAt = await idp.deps.databaseTime();
    const clients = createClientAdministration({ url: idp.address, internalKey: KEY });
    const place = { service: 'shop', environment: 'prod', orgSlug: 'acme' } as const;
    await clients.setSignIn({ ...place, signIn: 'members', epoch: 1 }, never);
    await clients.revokeScopes({ service: 'notes', clientId: 'shop-prod' }, { actor: 'internal' });
    const refresh = (token: string | undefined) =>
      refreshToken(idp.deps, { client: before, issuedAt, parameters: { refresh_token: token ?? '' }, context });
    await assert.rejects(refresh(theirs.tokens.refresh_token), { code: 'OAUTH_INVALID_GRANT' });
    const reply = await refresh(ours.tokens.refresh_token);
    assert.equal(reply.scope, 'openid');
    assert.equal((await logins.introspect(shop, reply.access_token)).active, true);
  });

  it('keeps its own service tokens, and is changed by the builder alone', async () => {
    await set('members');
    const own = { grant_type: 'client_credentials', client_id: 'shop-prod', client_secret: shop.secret };
    await idp.deps.clients.update('shop-prod', {}, { allowedGrantTypes: ['client_credentials'] });
    assert.equal((await idp.call('POST', '/api/oauth/token', { form: own })).status, 200);
    const path = '/api/internal/oauth-clients/shop-prod';
    const headers = { 'x-internal-key': KEY };
    await idp.call('PATCH', path, { json: { signIn: 'anyone' }, headers });
    assert.equal((await idp.deps.clients.find('shop-prod'))?.signIn, 'members', 'no patch changes it');
  });
});
