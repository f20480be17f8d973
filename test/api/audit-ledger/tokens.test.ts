import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { untilRefused } from '../../support/denylist-reads.ts';
import { startTokenLedger, type TokenLedger } from '../../support/start-token-ledger.ts';
import { createLogins, type Logins } from '../identity/oauth/logins.ts';

const EVENT = { eventType: 'payment.created', entityId: 'order-1' };

/** Whom the ledger believes, with tokens of the real identity provider. */
describe('events and tokens', () => {
  let parts: TokenLedger;
  let secret: string;
  let token: string;
  let logins: Logins;
  before(async () => {
    parts = await startTokenLedger();
    logins = createLogins(parts.idp);
    for (const org of ['acme', 'other']) await parts.idp.seedOrg(org);
    ({ secret } = await parts.idp.seedClient('shop-prod', { orgSlug: 'acme' }));
    token = await parts.mint('shop-prod', secret);
  });
  after(() => parts.stop());

  const call = (bearer: string, method: string, path: string, body?: unknown) =>
    parts.ledger.call(null, method, path, body, { authorization: `Bearer ${bearer}` });
  const emit = (bearer: string, changes: object = {}) =>
    call(bearer, 'POST', '/v1/events/emit', { ...EVENT, ...changes });
  /** A token that the provider itself signed, with other claims. */
  const signed = (changes: object, type: 'at+jwt' | 'JWT' = 'at+jwt') =>
    parts.idp.deps.signer.sign({ ...decodeJwt(token), jti: `tok_${Math.random()}`, ...changes }, type);

  it('a service emits with a token of its own, under the org that the token names', async () => {
    const { status, body } = await emit(token);
    assert.equal(status, 201);
    const stored = await parts.ledger.store.find(body.data.eventId);
    assert.deepEqual([stored?.orgSlug, stored?.emitter, stored?.namespace], ['acme', 'shop-prod', 'shop']);
  });

  it('another org sees nothing of it, by whatever way', async () => {
    const { body } = await emit(token, { entityId: 'secret-order' });
    const spy = await parts.idp.seedClient('spy-prod', { orgSlug: 'other', allowedScopes: ['septor:query'] });
    const foreign = await parts.mint('spy-prod', spy.secret);
    for (const query of ['', '?entityId=secret-order', '?namespace=shop']) {
      assert.deepEqual((await call(foreign, 'GET', `/v1/events${query}`)).body.data.events, [], query);
    }
    const id = body.data.eventId;
    for (const path of [
      `/v1/events/${id}`,
      `/v1/proofs/${id}`,
      '/v1/entities/secret-order/verify',
      '/v1/namespaces/shop/verify',
    ]) {
      const answer = await call(foreign, 'GET', path);
      assert.deepEqual([answer.status, answer.body.error.code], [404, 'EVENT_NOT_FOUND'], path);
    }
    assert.equal((await call(token, 'GET', '/v1/events?entityId=secret-order')).body.data.events.length, 1);
  });

  it('no field of an event or header moves it to another org, namespace or emitter', async () => {
    for (const changes of [{ orgSlug: 'other' }, { orgSlug: 'acme' }, { namespace: 'billing' }, { emitter: 'x' }]) {
      const { status } = await emit(token, changes);
      assert.ok(status === 400 || status === 403, JSON.stringify(changes));
    }
    const headers = { authorization: `Bearer ${token}`, 'x-org-slug': 'other', 'x-acting-user': 'usr_1' };
    const { body } = await parts.ledger.call(null, 'POST', '/v1/events/emit', EVENT, headers);
    assert.equal((await parts.ledger.store.find(body.data.eventId))?.orgSlug, 'acme');
  });

  it('a token without an org is refused, with what to do about it', async () => {
    const { status, body } = await emit(await signed({ orgSlug: undefined }));
    assert.deepEqual([status, body.error.code], [403, 'ORG_CLAIM_MISSING']);
    assert.match(body.error.message, /names no org.*Give the client an orgSlug/);
  });

  it('a token that is for others, over, of another kind or of no known key is refused, and says why', async () => {
    const now = Math.floor(Date.now() / 1000);
    const [head = '', payload = ''] = token.split('.');
    const cases: readonly (readonly [string, string])[] = [
      ['audience', await parts.mint('shop-prod', secret, { audience: 'builder' })],
      ['audience', await parts.mint('shop-prod', secret, { audience: 'shop-prod' })],
      ['expired', await signed({ iat: now - 120, exp: now - 60 })],
      ['issuer', await signed({ iss: 'https://elsewhere.example' })],
      ['type', await signed({}, 'JWT')],
      ['signature', `${head}.${payload}.${'A'.repeat(342)}`],
      ['malformed', 'not-a-token'],
    ];
    for (const [reason, bad] of cases) {
      for (const answer of [await emit(bad), await call(bad, 'GET', '/v1/events')]) {
        assert.deepEqual([answer.status, answer.body.error.code], [401, 'UNAUTHORIZED'], reason);
        assert.equal(answer.body.error.details.reason, reason);
      }
    }
  });

  it('a revoked token is refused with the next read of the denylist, and so are those of a client that was deleted', async () => {
    const doomed = await parts.idp.seedClient('doomed-prod', { orgSlug: 'acme' });
    const [first, second] = [
      await parts.mint('doomed-prod', doomed.secret),
      await parts.mint('doomed-prod', doomed.secret),
    ];
    for (const good of [first, second]) assert.equal((await emit(good)).status, 201);
    const form = { token: first, client_id: 'doomed-prod', client_secret: doomed.secret };
    assert.equal((await parts.idp.call('POST', '/api/oauth/revoke', { form })).status, 200);
    await refused(first);
    assert.equal((await emit(second)).status, 201, 'the other token goes on');
    const { status } = await parts.idp.call('DELETE', '/api/internal/oauth-clients/doomed-prod', {
      headers: parts.idp.internal,
    });
    assert.equal(status, 200);
    await refused(second);
  });

  async function refused(bearer: string): Promise<void> {
    await untilRefused(async () => (await emit(bearer)).status === 201, parts.denylistReads);
    const { status, body } = await emit(bearer);
    assert.deepEqual([status, body.error.details.reason], [401, 'revoked']);
  }

  /** The token of a login at the command line, of a new person. */
  async function loginOf(person: Parameters<Logins['person']>[0]): Promise<string> {
    const client = await parts.idp.deps.clients.find('fairlead-cli');
    assert.ok(client !== null);
    const user = await logins.person(person);
    const { tokens } = await logins.login({ client, secret: '' }, user, { audience: client.defaultAudience });
    return tokens.access_token ?? '';
  }

  it('a person reads and does not write, whatever their role', async () => {
    for (const platformRoles of [[], ['super_admin']] as const) {
      const own = await loginOf({ org: 'acme', orgRoles: ['admin'], platformRoles });
      assert.equal((await call(own, 'GET', '/v1/events')).status, 200);
      const { status, body } = await emit(own);
      assert.deepEqual([status, body.error.code], [403, 'FORBIDDEN']);
    }
  });

  it('proofs are for services with the scope and for people with a role in the org', async () => {
    const { body } = await emit(token);
    const path = `/v1/proofs/${body.data.eventId}`;
    const codeFor = async (bearer: string) => (await call(bearer, 'GET', path)).body.error.code;
    assert.equal(await codeFor(token), 'FORBIDDEN');
    const auditor = await parts.idp.seedClient('auditor-prod', { orgSlug: 'acme', allowedScopes: ['septor:query'] });
    assert.equal(await codeFor(await parts.mint('auditor-prod', auditor.secret)), 'NOT_BATCHED');
    assert.equal(await codeFor(await loginOf({ org: 'acme', orgRoles: ['viewer'] })), 'NOT_BATCHED');
    assert.equal(await codeFor(await loginOf({ org: 'other', orgRoles: ['admin'] })), 'EVENT_NOT_FOUND');
    assert.equal(await codeFor(await loginOf({})), 'FORBIDDEN');
  });
});
