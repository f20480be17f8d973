import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import WebSocket, { type ClientOptions } from 'ws';
import { issueTokens } from '../../../api/identity/tokens/issue-tokens.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { Passport } from '../../../domain/passport/passport.ts';
import { NO_PASSPORT } from '../../../domain/passport-config.ts';

import { startIdp, type TestIdp } from '../../support/start-idp.ts';
import { waitUntil } from '../../support/wait-until.ts';

interface Heard {
  readonly type: string;
  readonly passport?: Passport;
}

/** A client of the socket that keeps what it hears. */
export function listen(idp: TestIdp, query: string, options: ClientOptions = {}) {
  const socket = new WebSocket(`${idp.address.replace('http', 'ws')}/passport${query}`, options);
  const events: Heard[] = [];
  const state = { socket, events, closed: null as { code: number; reason: string } | null, status: 0 };
  socket.on('message', (data) => events.push(JSON.parse(String(data))));
  socket.on('close', (code, reason) => {
    state.closed = { code, reason: String(reason) };
  });
  socket.on('unexpected-response', (request, response) => {
    state.status = response.statusCode ?? 0;
    request.destroy();
  });
  socket.on('error', () => {});
  return state;
}

/** A provider with people and their sockets, for the tests of one `describe`. */
export function usePassportSockets() {
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
      issuedAt: idp.deps.now(),
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
    await waitUntil('the identity', () => state.events.length === 1);
    return { state, token, grantId };
  }
  const closing = async (state: ReturnType<typeof listen>) => {
    await waitUntil('the close', () => state.closed !== null);
    return state.closed ?? assert.fail();
  };

  return {
    get idp(): TestIdp {
      return idp;
    },
    ...{ person, loginOf, listener, connected, closing },
  };
}

/** A token of somebody at another provider than the suite's. */
export async function tokenAt(idp: TestIdp): Promise<string> {
  const user = await idp.seedUser('lone@example.com');
  const client = await idp.deps.clients.find('fairlead-cli');
  assert.ok(client !== null);
  const reply = await issueTokens(idp.deps, {
    issuedAt: idp.deps.now(),
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
