import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { revokeUser } from '../../../../api/identity/revocation/revoke.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { createLogins, type Logins, type Seeded } from '../oauth/logins.ts';
import { meanwhile } from './meanwhile.ts';

/** Time enough that a token which is issued after it has a later `iat`. */
const LATER_MS = 2_500;

describe('a revocation wins over what runs at that moment', () => {
  let idp: TestIdp;
  let logins: Logins;
  let shop: Seeded;
  before(async () => {
    idp = await startIdp({ database: 'server' });
    logins = createLogins(idp);
    await idp.seedOrg('acme');
    shop = await logins.client({ clientId: 'shop-prod', orgSlug: 'acme' });
  });
  after(() => idp.stop());

  const person = (): Promise<UserRecord> => logins.person({ org: 'acme', orgRoles: ['admin', 'member'] });
  const bearer = (token: string | undefined) => ({ headers: { authorization: `Bearer ${token}` } });
  const isAccepted = async (token: string | undefined): Promise<boolean> =>
    (await idp.call('GET', '/api/v2/me', bearer(token))).status === 200;
  const putRoles = ({ id }: UserRecord, roles: readonly string[]) =>
    idp.call('PUT', `/api/v2/orgs/acme/members/${id}`, { headers: idp.internal, json: { roles, modules: [] } });

  /** A login whose access token is good for calls of the provider. */
  async function goodLogin(user: UserRecord, of = shop) {
    const { tokens } = await logins.login(of, user, { audience: [idp.issuer] });
    assert.equal(await isAccepted(tokens.access_token), true);
    return tokens;
  }

  /** A login by a process whose own clock is a minute ahead. */
  async function aheadOfItsTime(t: TestContext, user: UserRecord, of = shop) {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 });
    const tokens = await goodLogin(user, of);
    t.mock.timers.reset();
    return tokens;
  }

  it('over tokens of a process whose clock is ahead: of a login, of a client, and of rights that were taken', async (t) => {
    const ended = await aheadOfItsTime(t, await person());
    await idp.call('POST', '/api/oauth/revoke', {
      form: { ...logins.credentials(shop), token: ended.refresh_token ?? '' },
    });
    assert.equal(await isAccepted(ended.access_token), false, 'a login');

    const ada = await person();
    await person();
    const tokens = await aheadOfItsTime(t, ada);
    assert.equal((await putRoles(ada, ['member'])).status, 200);
    assert.equal(await isAccepted(tokens.access_token), false, 'rights');

    const gone = await logins.client({ orgSlug: 'acme' });
    const before = await aheadOfItsTime(t, await person(), gone);
    const path = `/api/internal/oauth-clients/${gone.client.clientId}`;
    assert.equal((await idp.call('DELETE', path, { headers: idp.internal })).status, 200);
    assert.equal(await isAccepted(before.access_token), false, 'a client');
  });

  it('over a token that a service was asking for while its client was deleted', async () => {
    const robot = await logins.client({ orgSlug: 'acme', allowedGrantTypes: ['client_credentials'] });
    const { clientId } = robot.client;
    // Of a client that was changed lately the denylist is asked for.
    idp.advance(10_000);
    meanwhile(
      idp.deps,
      'orgs',
      'find',
      async () => {
        await idp.call('DELETE', `/api/internal/oauth-clients/${clientId}`, { headers: idp.internal });
        idp.advance(LATER_MS);
      },
      'after',
    );
    const { body } = await logins.token(robot, { grant_type: 'client_credentials' });
    const again = await logins.client({ clientId, orgSlug: 'acme', allowedGrantTypes: ['client_credentials'] });
    assert.deepEqual(await logins.introspect(again, body.access_token), { active: false });
    const fresh = await logins.token(again, { grant_type: 'client_credentials' });
    assert.equal((await logins.introspect(again, fresh.body.access_token)).active, true, 'the next one is good');
  });

  it('over a token that is refreshed while everything of its person is ended', async () => {
    const user = await person();
    const tokens = await goodLogin(user);
    let token: string | undefined;
    meanwhile(idp.deps, 'grants', 'revokeAllOfUser', async () => {
      idp.advance(LATER_MS);
      token = (await logins.refresh(shop, tokens.refresh_token)).body.access_token;
      assert.equal(await isAccepted(token), true);
    });
    await revokeUser(idp.deps, null, user.id);
    assert.equal(await isAccepted(token), false);
  });

  it('over the tokens of rights whose taking was cut off and is repeated', async () => {
    const user = await person();
    await person();
    let token: string | undefined;
    const { revocations } = idp.deps;
    // The database is lost right after the rights were taken; a token of before them is issued at that moment.
    meanwhile(idp.deps, 'memberships', 'replaceRights', async () => {
      idp.advance(LATER_MS);
      token = (await goodLogin(user)).access_token;
      const add = () => Promise.reject(new FairleadError('UNAVAILABLE', 'away', { retryable: true }));
      Object.assign(idp.deps, { revocations: { ...revocations, add } });
    });
    assert.equal((await putRoles(user, ['member'])).status, 503);
    Object.assign(idp.deps, { revocations });
    assert.equal((await putRoles(user, ['member'])).status, 200);
    assert.equal(await isAccepted(token), false);
  });
});
