import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { PLATFORM_SCOPE } from '../../../../api/http/caller.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { createLogins, type Logins, type Seeded } from '../oauth/logins.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

interface KeyView {
  readonly id: string;
  readonly state: string;
}

describe('rotating signing keys', () => {
  let idp: TestIdp;
  let logins: Logins;
  let shop: Seeded;
  before(async () => {
    idp = await startIdp({ database: 'server' });
    logins = createLogins(idp);
    shop = await logins.client();
  });
  after(() => idp.stop());

  const rotate = (json: unknown = {}) => idp.call('POST', '/api/admin/keys/rotate', { json, headers: idp.internal });

  const keys = async (): Promise<KeyView[]> =>
    (await idp.call('GET', '/api/admin/keys', { headers: idp.internal })).body.data.keys;

  const inState = async (state: string): Promise<string[]> =>
    (await keys()).filter((key) => key.state === state).map(({ id }) => id);

  const token = async (): Promise<string> =>
    (await logins.token(shop, { grant_type: 'client_credentials' })).body.access_token;

  const published = async () => (await idp.call('GET', '/.well-known/jwks.json')).body;

  const kidOf = (jwt: string): string =>
    JSON.parse(Buffer.from(jwt.split('.', 1)[0] ?? '', 'base64url').toString('utf8')).kid;

  it('is for the platform, and shows states and times alone', async () => {
    const bearerOf = async (orgSlug: string): Promise<Record<string, string>> => {
      const of = await logins.client({ orgSlug, allowedScopes: [PLATFORM_SCOPE] });
      const { body } = await logins.token(of, { grant_type: 'client_credentials', resource: idp.issuer });
      return { authorization: `Bearer ${body.access_token}` };
    };
    await idp.seedOrg('acme');
    const [platform, other] = [await bearerOf('platform'), await bearerOf('acme')];
    const rows = [['GET', '/api/admin/keys', {}] as const, ['POST', '/api/admin/keys/rotate', { json: {} }] as const];
    for (const [method, path, body] of rows) {
      const statusAs = async (headers: Record<string, string>) =>
        (await idp.call(method, path, { ...body, headers })).status;
      assert.deepEqual([await statusAs({}), await statusAs(other), await statusAs(platform)], [401, 403, 200], path);
    }
    const shown = await keys();
    assert.equal(shown.length, 2);
    for (const key of shown) {
      assert.deepEqual(Object.keys(key).sort(), ['activatedAt', 'createdAt', 'id', 'retiredAt', 'state']);
    }
  });

  it('does nothing before the time has come', async () => {
    const before = await keys();
    const { body } = await rotate();
    assert.deepEqual([body.data.activated, body.data.created, body.data.removed], [null, [], []]);
    assert.deepEqual(await keys(), before);
  });

  it('by hand too early says from when on it is possible', async () => {
    const own = await startIdp({ database: 'server' });
    try {
      const json = { force: true };
      const early = await own.call('POST', '/api/admin/keys/rotate', { json, headers: own.internal });
      assert.equal(early.status, 409);
      const notBefore = Date.parse(early.body.error.details.notBefore);
      own.advance(notBefore - own.deps.now().getTime() + 1_000);
      assert.equal((await own.call('POST', '/api/admin/keys/rotate', { json, headers: own.internal })).status, 200);
    } finally {
      await own.stop();
    }
  });

  it('by hand under use: every token made before, meanwhile and after is verified by the keys of each moment', async () => {
    idp.advance(3 * MINUTE_MS);
    const keySetBefore = await published();
    const [before] = await inState('active');
    const old = await token();
    let done = false;
    const made: string[] = [];
    const using = async (): Promise<void> => {
      while (!done) made.push(await token());
    };
    const users = [using(), using(), using()];
    const answers = await Promise.all(Array.from({ length: 10 }, () => rotate({ force: true })));
    done = true;
    await Promise.all(users);
    assert.ok(made.length > 0, 'tokens were made meanwhile');
    const after = await token();
    assert.equal(answers.filter(({ status }) => status === 200).length, 1, 'of many at once one rotates');
    for (const { status } of answers) assert.ok(status === 200 || status === 409);
    assert.equal(kidOf(old), before);
    assert.notEqual(kidOf(after), before);
    assert.deepEqual(await inState('retiring'), [before]);
    assert.equal((await inState('active')).length, 1);
    assert.equal((await inState('next')).length, 1);
    // Who fetched the keys before the rotation knows the key that signs after it.
    for (const set of [keySetBefore, await published()]) {
      for (const jwt of [old, after, ...made]) {
        const { payload } = await jwtVerify(jwt, createLocalJWKSet(set), { currentDate: idp.deps.now() });
        assert.equal(payload.sub, shop.client.clientId);
      }
    }
    for (const jwt of [old, after]) assert.equal((await logins.introspect(shop, jwt)).active, true);
  });

  it('by the clock after thirty days; the retired key goes when its last token has expired', async () => {
    const [active] = await inState('active');
    idp.advance(30 * DAY_MS);
    const { body } = await rotate();
    assert.equal(body.data.retired, active);
    assert.equal(body.data.removed.length, 1, 'the one retired by hand before');
    idp.advance(DAY_MS);
    assert.deepEqual((await rotate()).body.data.removed, [], 'a token of it may still live');
    idp.advance(DAY_MS);
    assert.deepEqual((await rotate()).body.data.removed, [active]);
    assert.equal((await published()).keys.length, 2);
  });

  it('is in the audit trail', async () => {
    const { items } = await idp.deps.audit.list({ type: 'keys.rotated' }, { cursor: null, limit: 10 });
    assert.ok(items.some(({ data, actor }) => data.force === true && actor === 'internal'));
  });

  it('refuses fields it does not know', async () => {
    assert.equal((await rotate({ force: 'yes' })).status, 400);
    assert.equal((await rotate({ keep: true })).status, 400);
  });
});
