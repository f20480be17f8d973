import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { WebSocket } from 'ws';
import { connectMongo } from '../../../../adapters/mongo/connect.ts';
import { PLATFORM_SCOPE } from '../../../../api/http/caller.ts';
import { createTokenVerifier, type TokenVerifier } from '../../../../sdk/index.ts';
import { countDenylistReads, untilRefused } from '../../../support/denylist-reads.ts';
import { everyCaller } from '../../../support/every-caller.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { startMongo } from '../../../support/start-mongo.ts';
import { createLogins, type Logins, type Seeded } from '../oauth/logins.ts';

describe('withdrawing a signing key that leaked', () => {
  let idp: TestIdp;
  let logins: Logins;
  let shop: Seeded;
  const open: { close(): void }[] = [];
  before(async () => {
    idp = await startIdp({ database: 'server' });
    logins = createLogins(idp);
    shop = await logins.client();
  });
  after(async () => {
    for (const one of open) one.close();
    await idp.stop();
  });

  const withdraw = (keyId: string, headers: Record<string, string> = idp.internal, json: unknown = {}) =>
    idp.call('POST', `/api/admin/keys/${keyId}/withdraw`, { json, headers });
  const keyIn = async (state: string): Promise<string> =>
    (await idp.deps.signingKeys.read()).keys.find((key) => key.state === state)?.id ?? '';
  const serviceToken = async (): Promise<string> =>
    (await logins.token(shop, { grant_type: 'client_credentials' })).body.access_token;
  const published = async (): Promise<string[]> =>
    (await idp.call('GET', '/.well-known/jwks.json')).body.keys.map(({ kid }: { kid: string }) => kid);
  const isAccepted = (verifier: TokenVerifier, token: string): Promise<boolean> =>
    verifier.verify(token).then(
      () => true,
      () => false,
    );
  function verifierOf(options: Partial<Parameters<typeof createTokenVerifier>[0]> = {}): TokenVerifier {
    const revocations = { clientId: shop.client.clientId, clientSecret: shop.secret };
    const basics = { idpUrl: idp.issuer, audience: shop.client.clientId, revocations };
    const verifier = createTokenVerifier({ ...basics, ...options });
    open.push(verifier);
    return verifier;
  }

  it('voids all its tokens at once, at the provider and at services that follow the feed, and at none the others', async () => {
    const leaked = await keyIn('active');
    const user = await idp.seedUser('holder@example.com');
    const { tokens } = await logins.login(shop, user);
    const old = { person: tokens.access_token ?? '', service: await serviceToken() };
    const bearer = { authorization: `Bearer ${old.person}` };
    assert.equal((await idp.call('GET', '/api/oauth/userinfo', { headers: bearer })).status, 200);
    const socket = new WebSocket(`${idp.address.replace('http', 'ws')}/passport?token=${old.person}`);
    await once(socket, 'message');
    const closed = once(socket, 'close');
    // Of its own: reads of the other verifier say nothing about what this one knows.
    const reads = countDenylistReads();
    const [one, two] = [verifierOf({ fetch: reads.fetch }), verifierOf()];
    for (const token of Object.values(old)) for (const verifier of [one, two]) await verifier.verify(token);

    const reply = await withdraw(leaked, idp.internal, { reason: 'a laptop was stolen' });
    assert.equal(reply.status, 200, reply.text);
    for (const token of Object.values(old)) assert.deepEqual(await logins.introspect(shop, token), { active: false });
    assert.equal((await idp.call('GET', '/api/oauth/userinfo', { headers: bearer })).status, 401);
    await untilRefused(() => isAccepted(one, old.person), reads.begun);
    for (const token of Object.values(old)) {
      await assert.rejects(one.verify(token), { details: { reason: 'unknown-key' } });
    }
    assert.deepEqual((await closed)[0], 4003);
    assert.ok(!(await published()).includes(leaked));

    const renewed = await logins.refresh(shop, tokens.refresh_token ?? '');
    assert.equal(renewed.status, 200, 'the login goes on');
    assert.equal((await one.verify(renewed.body.access_token)).identityId, user.id);
    assert.equal((await one.verify(await serviceToken())).kind, 'service');
    const { items } = await idp.deps.audit.list({ type: 'keys.withdrawn' }, { cursor: null, limit: 10 });
    assert.deepEqual(
      items.map(({ subject, actor, data }) => [subject, actor, data]),
      [[leaked, 'internal', { state: 'active', reason: 'a laptop was stolen' }]],
    );
  });

  it('a token that was forged with it long after is refused by who still gets the old key set', async () => {
    const leaked = await keyIn('active');
    const token = await serviceToken();
    const keys = await (await fetch(`${idp.address}/.well-known/jwks.json`)).text();
    const stale: typeof fetch = async (input, init) =>
      String(input).endsWith('jwks.json') ? new Response(keys) : fetch(input, init);
    await withdraw(leaked);
    const verifier = verifierOf({ fetch: stale });
    await assert.rejects(verifier.verify(token), { details: { reason: 'unknown-key' } });
  });

  it('is told to a verifier that starts later, and to one without the feed by the key set', async () => {
    const leaked = await keyIn('active');
    const token = await serviceToken();
    let aheadMs = 0;
    const clock = () => new Date(Date.now() + aheadMs);
    const without = verifierOf({ revocations: 'off', clock });
    await without.verify(token);
    await withdraw(leaked);
    await assert.rejects(verifierOf().verify(token), { details: { reason: 'unknown-key' } });
    aheadMs = 121_000;
    await assert.rejects(without.verify(token), { details: { reason: 'unknown-key' } });
  });

  it('of two that are withdrawn at the same moment both are void, whatever key set a verifier gets, and the third signs', async () => {
    const active = await keyIn('active');
    const first = await serviceToken();
    // A key that signed before: it is the next one's turn, and then it is leaked, too.
    idp.advance(3 * 60_000);
    await idp.call('POST', '/api/admin/keys/rotate', { headers: idp.internal, json: { force: true } });
    const successor = await keyIn('active');
    const second = await serviceToken();
    const keys = await (await fetch(`${idp.address}/.well-known/jwks.json`)).text();
    const clock = idp.deps.now;
    const verifiers = [false, true].map((misled) => {
      const counted = countDenylistReads();
      const stale: typeof fetch = async (input, init) =>
        misled && String(input).endsWith('jwks.json') ? new Response(keys) : counted.fetch(input, init);
      return { verifier: verifierOf({ clock, fetch: stale }), begun: counted.begun };
    });
    for (const { verifier } of verifiers) for (const token of [first, second]) await verifier.verify(token);
    const replies = await Promise.all([withdraw(active), withdraw(successor)]);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    );
    for (const token of [first, second]) assert.deepEqual(await logins.introspect(shop, token), { active: false });
    for (const { verifier, begun } of verifiers) {
      await untilRefused(
        async () => (await isAccepted(verifier, first)) || (await isAccepted(verifier, second)),
        begun,
      );
      for (const token of [first, second]) {
        await assert.rejects(verifier.verify(token), { details: { reason: 'unknown-key' } });
      }
    }
    const { withdrawn } = await idp.deps.signingKeys.read();
    for (const id of [active, successor]) assert.equal(withdrawn.filter((one) => one.id === id).length, 1);
    const third = await serviceToken();
    assert.equal((await verifiers[0]?.verifier.verify(third))?.kind, 'service');
    assert.equal((await verifierOf({ clock }).verify(third)).kind, 'service');
  });

  it('can be repeated, is there for keys of every state, and says that there is no such key', async () => {
    const next = await keyIn('next');
    const once = await withdraw(next);
    const again = await withdraw(next);
    assert.deepEqual([once.status, again.status, again.body.data.created], [200, 200, []]);
    assert.equal((await withdraw('key_none')).status, 404);
    const { data } = (await idp.call('GET', '/api/admin/keys', { headers: idp.internal })).body;
    assert.deepEqual(data.keys.map(({ state }: { state: string }) => state).sort(), ['active', 'next']);
    assert.ok(data.withdrawn.some(({ id }: { id: string }) => id === next));
    const { items } = await idp.deps.audit.list({ type: 'keys.withdrawn' }, { cursor: null, limit: 50 });
    assert.equal(items.filter(({ subject }) => subject === next).length, 1);
  });

  it('is for super admins and the installation itself: no service, no admin of an org', async () => {
    const callers = await everyCaller(idp, idp.issuer);
    const key = await keyIn('next');
    for (const who of ['stranger', 'job', 'admin', 'member'] as const) {
      const { status } = await withdraw(key, callers[who]);
      assert.equal(status, who === 'stranger' ? 401 : 403, who);
    }
    const platform = await logins.client({ orgSlug: 'platform', allowedScopes: [PLATFORM_SCOPE] });
    const { body } = await logins.token(platform, { grant_type: 'client_credentials', resource: idp.issuer });
    assert.equal((await withdraw(key, { authorization: `Bearer ${body.access_token}` })).status, 403);
    assert.equal((await withdraw(key, callers.root)).status, 200);
  });

  it('a key set of a process of the version before keeps what was withdrawn', async () => {
    const { version, keys, withdrawn } = await idp.deps.signingKeys.read();
    // As that version writes: without the field.
    await idp.db.collection('signing_keys').updateOne({ version }, { $set: { keys, version: version + 1 } });
    assert.deepEqual(await idp.deps.signingKeys.readWithdrawn(), withdrawn);
    assert.ok(withdrawn.length > 0);
  });
});

describe('public keys while the database is away', () => {
  it('are served on, so that every token that was issued is verified', async () => {
    const mongo = await startMongo();
    const connection = await connectMongo(mongo.uri, 'fairlead-test');
    const idp = await startIdp({ mongo: { ...mongo, connection } });
    const path = '/.well-known/jwks.json';
    const known = await idp.call('GET', path);
    await connection.close();
    for (const minutes of [1, 60, 24 * 60]) {
      idp.advance(minutes * 60_000);
      const { status, body } = await idp.call('GET', path);
      assert.deepEqual([status, body], [200, known.body], `${minutes} minutes later`);
    }
    await idp.stop();
  });
});
