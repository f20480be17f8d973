import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { claimsOf, createLogins, fifty, type Logins, type Seeded } from './logins.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

describe('the device flow', () => {
  let idp: TestIdp;
  let logins: Logins;
  let tool: Seeded;
  let ada: UserRecord;
  before(async () => {
    idp = await startIdp({ database: 'server' });
    logins = createLogins(idp);
    await idp.seedOrg('acme');
    tool = await logins.client({
      clientId: 'tool',
      orgSlug: 'acme',
      clientType: 'public',
      allowedGrantTypes: [GRANT, 'refresh_token'],
      defaultAudience: ['builder'],
    });
    ada = await logins.person({ org: 'acme' });
  });
  after(() => idp.stop());

  const begin = (form: Record<string, string> = {}, of = tool) =>
    idp.call('POST', '/api/oauth/device_authorization', { form: { ...logins.credentials(of), ...form } });

  const poll = (deviceCode: string, of = tool) => logins.token(of, { grant_type: GRANT, device_code: deviceCode });

  /** The person types the code: `approve` or not. */
  async function decide(shownCode: string, approve: boolean): Promise<void> {
    const now = idp.deps.now();
    const session = await logins.seedSession(ada);
    const approval = { userId: ada.id, sessionId: session.id, methods: ['pwd'] as const, authenticatedAt: now };
    assert.ok(await idp.deps.devices.decide(shownCode.replace('-', ''), approve ? approval : null, now));
  }

  it('begins with a code to type, where to type it, and how often to ask', async () => {
    const { status, body, headers } = await begin();
    assert.equal(status, 200);
    assert.match(body.device_code, /^fldc_[\w-]{43}$/);
    assert.match(body.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.equal(body.verification_uri, `${idp.issuer}/oauth/device`);
    assert.equal(body.verification_uri_complete, `${idp.issuer}/oauth/device?user_code=${body.user_code}`);
    assert.deepEqual([body.expires_in, body.interval], [600, 5]);
    assert.equal(headers.get('cache-control'), 'no-store');
  });

  it('is pending until the person agrees, and then gives the tokens of a login', async () => {
    const { body } = await begin({ scope: 'openid email' });
    const pending = await poll(body.device_code);
    assert.deepEqual([pending.status, pending.body.error], [400, 'authorization_pending']);
    await decide(body.user_code, true);
    const { status, body: tokens } = await poll(body.device_code);
    assert.equal(status, 200);
    const { sub, aud, scope } = claimsOf(tokens.access_token);
    assert.deepEqual({ sub, aud, scope }, { sub: ada.id, aud: 'builder', scope: 'openid email' });
    assert.equal((await logins.refresh(tool, tokens.refresh_token)).status, 200);
  });

  it('a device that asks too often is told to slow down, each time by five seconds more', async () => {
    const { body } = await begin();
    assert.equal((await poll(body.device_code)).body.error, 'authorization_pending');
    assert.equal((await poll(body.device_code)).body.error, 'slow_down');
    idp.advance(6_000);
    assert.equal((await poll(body.device_code)).body.error, 'slow_down', 'ten seconds by now');
    idp.advance(15_000);
    assert.equal((await poll(body.device_code)).body.error, 'authorization_pending');
  });

  it('says so when the person declined, and when the code has expired', async () => {
    const declined = await begin();
    await decide(declined.body.user_code, false);
    assert.equal((await poll(declined.body.device_code)).body.error, 'access_denied');
    const slow = await begin();
    idp.advance(600_000);
    assert.equal((await poll(slow.body.device_code)).body.error, 'expired_token');
  });

  it('of fifty polls at once exactly one gets tokens, and they are good', async () => {
    const { body } = await begin();
    await decide(body.user_code, true);
    const answers = await fifty(() => poll(body.device_code));
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    assert.equal(others.length, 0);
    for (const answer of answers) if (answer !== winner) assert.equal(answer.body.error, 'invalid_grant');
    assert.equal((await logins.refresh(tool, winner?.body.refresh_token)).status, 200);
  });

  it('a code of another client, or of nobody, is an invalid grant and does not slow its own client down', async () => {
    const other = await logins.client({ clientType: 'public', allowedGrantTypes: [GRANT] });
    const { body } = await begin();
    assert.equal((await poll(body.device_code, other)).body.error, 'invalid_grant');
    assert.equal((await poll('fldc_unknown')).body.error, 'invalid_grant');
    assert.equal((await poll(body.device_code)).body.error, 'authorization_pending');
    assert.equal((await logins.token(tool, { grant_type: GRANT })).body.error, 'invalid_request');
  });

  it('is for clients that were granted it, with scopes and audiences that are theirs', async () => {
    const web = await logins.client({ clientType: 'public', allowedGrantTypes: ['authorization_code'] });
    assert.equal((await begin({}, web)).body.error, 'unauthorized_client');
    assert.equal((await begin({ scope: 'root' })).body.error, 'invalid_scope');
    assert.equal((await begin({ resource: 'elsewhere' })).body.error, 'invalid_target');
    const nobody = { ...tool, client: { ...tool.client, clientId: 'nobody' } };
    assert.deepEqual((await begin({}, nobody)).body.error, 'invalid_client');
  });
});
