import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import WebSocket, { type ClientOptions } from 'ws';
import { revokeGrant, revokeUser } from '../../../api/identity/revocation/revoke.ts';
import { voidAccessTokens } from '../../../api/identity/revocation/void-access-tokens.ts';
import { issueTokens } from '../../../api/identity/tokens/issue-tokens.ts';
import { serviceClaims } from '../../../domain/identity/build-claims.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { NO_PASSPORT } from '../../../domain/oauth-clients/client.ts';
import type { Passport } from '../../../domain/passport/passport.ts';
import { until } from '../../cli/run-cli.ts';
import { startIdp, type TestIdp } from '../identity/start-idp.ts';

interface Heard {
  readonly type: string;
  readonly passport?: Passport;
}

/** A client of the socket that keeps what it hears. */
function listen(idp: TestIdp, query: string, options: ClientOptions = {}) {
  const socket = new WebSocket(`${idp.address.replace('http', 'ws')}/passport${query}`, options);
  const events: Heard[] = [];
  const state = { socket, events, closed: null as { code: number; reason: string; at: number } | null, status: 0 };
  socket.on('message', (data) => events.push(JSON.parse(String(data))));
  socket.on('close', (code, reason) => {
    state.closed = { code, reason: String(reason), at: performance.now() };
  });
  socket.on('unexpected-response', (request, response) => {
    state.status = response.statusCode ?? 0;
    request.destroy();
  });
  socket.on('error', () => {});
  return state;
}

describe('the passport socket', () => {
  let idp: TestIdp;
  let people = 0;
  before(async () => {
    idp = await startIdp({
      passport: { limits: { perAddress: 12, perHolder: 3, inAll: 100, triesPerMinute: 10_000 } },
    });
    await idp.seedOrg('acme');
    await idp.seedOrg('beta');
    await idp.seedClient('shop-prod', { orgSlug: 'acme', passportConfig: { ...NO_PASSPORT, includeBranding: true } });
  });
  after(() => idp.stop());
  const open: ReturnType<typeof listen>[] = [];
  afterEach(() => {
    for (const { socket } of open.splice(0)) socket.terminate();
  });

  const listener = (query: string) => {
    const state = listen(idp, query);
    open.push(state);
    return state;
  };
  const person = () => {
    people += 1;
    return idp.seedUser(`person-${people}@acme.example`, { org: 'acme', orgRoles: ['member'] });
  };
  async function loginOf(user: UserRecord, clientId = 'shop-prod') {
    const client = await idp.deps.clients.find(clientId);
    assert.ok(client !== null);
    const grantId = idp.deps.newId('grant');
    const reply = await issueTokens(idp.deps, {
      user,
      client,
      origin: 'oauth',
      sessionId: null,
      scopes: ['openid', 'email'],
      audience: [clientId],
      methods: ['pwd'],
      authenticatedAt: idp.deps.now(),
      address: '127.0.0.1',
      userAgent: 'test',
      grantId,
    });
    return { token: reply.access_token, grantId };
  }
  async function connected(user: UserRecord, clientId?: string) {
    const { token, grantId } = await loginOf(user, clientId);
    const state = listener(`?token=${token}`);
    await until(() => state.events.length === 1, 'the identity');
    return { state, token, grantId };
  }
  const closing = async (state: ReturnType<typeof listen>) => {
    await until(() => state.closed !== null, 'the close');
    return state.closed ?? assert.fail();
  };

  it('says who somebody is on connect', async () => {
    const user = await person();
    const { state } = await connected(user);
    const [event] = state.events;
    assert.equal(event?.type, 'identity');
    const { identityId, orgSlug, orgName, roles, userType, permissions, connectedServices, branding } =
      event?.passport ?? {};
    assert.deepEqual(
      {
        identityId,
        orgSlug,
        orgName,
        roles,
        userType,
        permissions,
        connectedServices,
        displayName: branding?.displayName,
      },
      {
        identityId: user.id,
        orgSlug: 'acme',
        orgName: 'Org acme',
        roles: ['member'],
        userType: 'user',
        permissions: { scopes: ['openid', 'email'] },
        connectedServices: ['shop-prod'],
        displayName: 'Org acme',
      },
    );
  });

  it('closes with 4001 without a token, and 4003 for one that is not valid', async () => {
    for (const query of ['', '?token=', '?other=x']) assert.equal((await closing(listener(query))).code, 4001, query);
    const { token } = await loginOf(await person());
    const tampered = `${token.slice(0, -6)}AAAAAA`;
    for (const query of [`?token=${tampered}`, '?token=a.b.c', `?token=${token}&token=${token}`]) {
      const state = listener(query);
      assert.deepEqual([(await closing(state)).code, state.events], [4003, []], query);
    }
  });

  it('closes with 4003 for an expired or revoked token, and with 4004 for someone suspended or unknown', async () => {
    const revoked = await loginOf(await person());
    await revokeGrant(idp.deps, null, revoked.grantId, { actor: 'internal' });
    assert.equal((await closing(listener(`?token=${revoked.token}`))).code, 4003);
    const suspended = await person();
    const { token } = await loginOf(suspended);
    await idp.deps.users.update(suspended.id, { suspendedAt: idp.deps.now() });
    assert.equal((await closing(listener(`?token=${token}`))).code, 4004);
    const stranger = await loginOf(await person());
    await idp.db.collection('users').deleteOne({ email: `person-${people}@acme.example` });
    assert.equal((await closing(listener(`?token=${stranger.token}`))).code, 4004);
  });

  it('tells of a changed role, org and branding, to all of a person’s connections and to nobody else', async () => {
    const user = await person();
    const [one, two, other] = [
      await connected(user),
      await connected(user),
      await connected(await person(), 'fairlead-cli'),
    ];
    const acme = await idp.deps.orgs.find('acme');
    assert.ok(acme !== null);
    const membership = await idp.deps.memberships.find(user.id, acme.id);
    assert.ok(membership !== null);
    await idp.deps.memberships.put({ ...membership, roles: ['admin'] });
    for (const { state } of [one, two]) await until(() => state.events.length === 2, 'the new role');
    assert.deepEqual(
      [one.state.events[1]?.type, one.state.events[1]?.passport?.roles],
      ['passport_updated', ['admin']],
    );

    const beta = await idp.deps.orgs.find('beta');
    assert.ok(beta !== null);
    await idp.deps.memberships.put({ ...membership, orgId: beta.id, orgSlug: 'beta', roles: ['viewer'] });
    await until(() => one.state.events.length === 3, 'the new org');
    assert.deepEqual(one.state.events[2]?.passport?.orgs.map(({ orgSlug }) => orgSlug).sort(), ['acme', 'beta']);

    await idp.deps.orgs.update(acme.id, { whiteLabel: { ...acme.whiteLabel, primaryColor: '#112233' } });
    await until(() => one.state.events.length === 4, 'the new branding');
    assert.equal(one.state.events[3]?.passport?.branding?.primaryColor, '#112233');
    assert.equal(other.state.events.length, 1, 'a client without branding, a person without the change');
  });

  it('says revoked and closes with 4003 within a second of a log-out, and goes on for others', async () => {
    const [gone, stays] = [await connected(await person()), await connected(await person())];
    await revokeGrant(idp.deps, null, gone.grantId, { actor: 'internal' });
    const revokedAt = performance.now();
    const { code, at } = await closing(gone.state);
    assert.deepEqual([code, gone.state.events.at(-1)], [4003, { type: 'revoked' }]);
    assert.ok(at - revokedAt < 1_000, `${at - revokedAt} ms`);
    assert.equal(stays.state.closed, null);
  });

  it('shows the new passport and asks for a new token when rights are taken away, for the login goes on', async () => {
    const user = await person();
    const { state } = await connected(user);
    const acme = await idp.deps.orgs.find('acme');
    const membership = await idp.deps.memberships.find(user.id, acme?.id ?? '');
    assert.ok(membership !== null);
    await idp.deps.memberships.put({ ...membership, roles: ['viewer'] });
    await voidAccessTokens(idp.deps, user.id);
    const { code } = await closing(state);
    const last = state.events.at(-1);
    assert.deepEqual([code, last?.type, last?.passport?.roles], [4003, 'passport_updated', ['viewer']]);
    assert.ok(!state.events.some(({ type }) => type === 'revoked'));
  });

  it('says revoked and closes with 4004 when the person is suspended', async () => {
    const user = await person();
    const { state } = await connected(user);
    await idp.deps.users.update(user.id, { suspendedAt: idp.deps.now() });
    assert.deepEqual([(await closing(state)).code, state.events.at(-1)], [4004, { type: 'revoked' }]);
  });

  it('ends all of a person’s connections at once', async () => {
    const user = await person();
    const all = [await connected(user), await connected(user), await connected(user)];
    await revokeUser(idp.deps, null, user.id, { actor: 'internal' });
    for (const { state } of all) assert.equal((await closing(state)).code, 4003);
  });

  it('gives a service its own passport', async () => {
    const issuedAt = idp.deps.now();
    const expiresAt = new Date(issuedAt.getTime() + 60_000);
    const frame = {
      issuer: idp.issuer,
      tokenId: idp.deps.newId('token'),
      audience: ['x'],
      issuedAt,
      expiresAt,
      scopes: [],
    };
    const client = { clientId: 'shop-prod', orgSlug: 'acme' };
    const token = await idp.deps.signer.sign(serviceClaims(frame, client), 'at+jwt');
    const state = listener(`?token=${token}`);
    await until(() => state.events.length === 1, 'the identity');
    const { identityId, userType, orgSlug } = state.events[0]?.passport ?? {};
    assert.deepEqual([identityId, userType, orgSlug], ['shop-prod', 'service', 'acme']);
  });

  it('bounds the connections of one person, and the end of one makes room', async () => {
    const user = await person();
    const { token } = await loginOf(user);
    const three = Array.from({ length: 3 }, () => listener(`?token=${token}`));
    for (const state of three) await until(() => state.events.length === 1, 'three connections');
    assert.equal((await closing(listener(`?token=${token}`))).code, 1013);
    three[0]?.socket.close();
    const [first] = three;
    assert.ok(first !== undefined);
    await closing(first);
    let again = listener(`?token=${token}`);
    await until(() => again.events.length === 1 || again.closed !== null, 'an outcome');
    if (again.closed !== null) again = listener(`?token=${token}`);
    await until(() => again.events.length === 1, 'room for one more');
  });

  it('bounds the connections of one address with 429, and frees what is closed', async () => {
    const tokens = await Promise.all(Array.from({ length: 5 }, async () => (await loginOf(await person())).token));
    const many = [...tokens, ...tokens, ...tokens].map((token) => listener(`?token=${token}`));
    const settled = () =>
      many.every(({ status, events, closed }) => status !== 0 || events.length > 0 || closed !== null);
    await until(settled, 'an outcome for all');
    const refused = many.filter(({ status }) => status === 429).length;
    assert.ok(refused >= 3, `${refused} were refused`);
    for (const { socket } of many) socket.terminate();
    await until(() => many.every(({ closed }) => closed !== null), 'the end of all');
    let again = listener(`?token=${tokens[0]}`);
    for (let tries = 0; tries < 20 && again.events.length === 0; tries++) {
      await until(() => again.events.length === 1 || again.status !== 0 || again.closed !== null, 'an outcome');
      if (again.events.length === 0) again = listener(`?token=${tokens[0]}`);
    }
    assert.equal(again.events[0]?.type, 'identity');
  });

  it('lets nobody talk: a large message ends the connection, many small ones too, and others live on', async () => {
    const [large, chatty, quiet] = [
      await connected(await person()),
      await connected(await person()),
      await connected(await person()),
    ];
    large.state.socket.send('x'.repeat(2_000));
    assert.equal((await closing(large.state)).code, 1009);
    for (let index = 0; index < 30; index++) chatty.state.socket.send('ping');
    assert.equal((await closing(chatty.state)).code, 1008);
    assert.equal(quiet.state.closed, null);
  });

  it('is at its path alone, and no odd request line brings the provider down', async () => {
    const elsewhere = new WebSocket(`${idp.address.replace('http', 'ws')}/passport/x`);
    elsewhere.on('error', () => {});
    const [, response] = await once(elsewhere, 'unexpected-response');
    assert.equal(response.statusCode, 404);
    elsewhere.terminate();
    for (const target of ['//', 'http://[', '*', '/passport%00', '/passport?token=%ff']) {
      const raw = connect(Number(new URL(idp.address).port), '127.0.0.1');
      raw.on('error', () => {});
      raw.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
      await Promise.race([once(raw, 'close'), once(raw, 'data')]);
      raw.destroy();
    }
    assert.equal((await idp.call('GET', '/health')).status, 200);
  });

  it('is not logged with its token', async () => {
    const { token } = await connected(await person());
    assert.ok(!idp.logged.some((line) => line.includes(token) || line.includes(token.split('.')[2] ?? token)));
  });

  it('closes with 4003 when the token expires, without saying revoked: a new token continues the login', async () => {
    const { state } = await connected(await person());
    idp.advance(3_601_000);
    assert.deepEqual([(await closing(state)).code, state.events.map(({ type }) => type)], [4003, ['identity']]);
  });
});

/** A token of somebody at another provider than the suite's. */
async function tokenAt(idp: TestIdp): Promise<string> {
  const user = await idp.seedUser('lone@example.com');
  const client = await idp.deps.clients.find('fairlead-cli');
  assert.ok(client !== null);
  const reply = await issueTokens(idp.deps, {
    user,
    client,
    origin: 'oauth',
    sessionId: null,
    scopes: [],
    audience: ['builder'],
    methods: ['pwd'],
    authenticatedAt: idp.deps.now(),
    address: '127.0.0.1',
    userAgent: 'test',
  });
  return reply.access_token;
}

it('a provider that stops says 1001 to all and does not wait for them', async () => {
  const idp = await startIdp();
  const state = listen(idp, `?token=${await tokenAt(idp)}`);
  await until(() => state.events.length === 1, 'the identity');
  await idp.stop();
  await until(() => state.closed !== null, 'the close');
  assert.equal(state.closed?.code, 1001);
});

it('one who is gone without a word is let go, one who answers pings stays', async () => {
  const idp = await startIdp({ passport: { heartbeatMs: 50 } });
  const query = `?token=${await tokenAt(idp)}`;
  const [silent, alive] = [listen(idp, query, { autoPong: false }), listen(idp, query)];
  try {
    let pings = 0;
    alive.socket.on('ping', () => {
      pings += 1;
    });
    await until(() => silent.closed !== null && pings >= 5, 'the end of one and five pings of the other');
    assert.deepEqual([silent.closed?.code, alive.closed], [1006, null]);
  } finally {
    alive.socket.terminate();
    await idp.stop();
  }
});
