import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import WebSocket from 'ws';

import { assertNotLogged } from '../../support/not-logged.ts';
import { startIdp } from '../../support/start-idp.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { listen, tokenAt, usePassportSockets } from './use-passport-sockets.ts';

describe('the bounds of the passport socket', () => {
  const sockets = usePassportSockets();
  const { person, loginOf, listener, connected, closing } = sockets;

  it('bounds the connections of one person, and the end of one makes room', async () => {
    const user = await person();
    const { token } = await loginOf(user);
    const three = Array.from({ length: 3 }, () => listener(`?token=${token}`));
    for (const state of three) await waitUntil('three connections', () => state.events.length === 1);
    assert.equal((await closing(listener(`?token=${token}`))).code, 1013);
    three[0]?.socket.close();
    const [first] = three;
    assert.ok(first !== undefined);
    await closing(first);
    let again = listener(`?token=${token}`);
    await waitUntil('an outcome', () => again.events.length === 1 || again.closed !== null);
    if (again.closed !== null) again = listener(`?token=${token}`);
    await waitUntil('room for one more', () => again.events.length === 1);
  });

  it('bounds the connections of one address with 429, and frees what is closed', async () => {
    const tokens = await Promise.all(Array.from({ length: 5 }, async () => (await loginOf(await person())).token));
    const many = [...tokens, ...tokens, ...tokens].map((token) => listener(`?token=${token}`));
    const allAnswered = () =>
      many.every(({ status, events, closed }) => status !== 0 || events.length > 0 || closed !== null);
    await waitUntil('an outcome for all', allAnswered);
    const refused = many.filter(({ status }) => status === 429).length;
    assert.ok(refused >= 3, `${refused} were refused`);
    assert.ok(
      many.some(({ events }) => events[0]?.type === 'identity'),
      'others were let in',
    );
    for (const { socket } of many) socket.terminate();
    await waitUntil('the end of all', () => many.every(({ closed }) => closed !== null));
    let again = listener(`?token=${tokens[0]}`);
    for (let tries = 0; tries < 20 && again.events.length === 0; tries++) {
      await waitUntil('an outcome', () => again.events.length === 1 || again.status !== 0 || again.closed !== null);
      if (again.events.length === 0) again = listener(`?token=${tokens[0]}`);
    }
    assert.equal(again.events[0]?.type, 'identity');
  });

  it('a connection that sends a large message, or many small ones, is closed, and the others stay open', async () => {
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
    const elsewhere = new WebSocket(`${sockets.idp.address.replace('http', 'ws')}/passport/x`);
    elsewhere.on('error', () => {});
    const [, response] = await once(elsewhere, 'unexpected-response');
    assert.equal(response.statusCode, 404);
    elsewhere.terminate();
    for (const target of ['//', 'http://[', '*', '/passport%00', '/passport?token=%ff']) {
      const raw = connect(Number(new URL(sockets.idp.address).port), '127.0.0.1');
      raw.on('error', () => {});
      raw.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
      await Promise.race([once(raw, 'close'), once(raw, 'data')]);
      raw.destroy();
    }
    assert.equal((await sockets.idp.call('GET', '/health')).status, 200);
  });

  it('is not logged with its token', async () => {
    const { token } = await connected(await person());
    // A connection leaves no line; one that asks without an upgrade leaves that of a request.
    assert.equal((await sockets.idp.call('GET', `/passport?token=${token}`)).status, 404);
    assertNotLogged(sockets.idp.logged, '/passport', token.split('.').slice(1));
  });
});

it('a provider that stops says 1001 to all and does not wait for them', async () => {
  const idp = await startIdp();
  const state = listen(idp, `?token=${await tokenAt(idp)}`);
  await waitUntil('the identity', () => state.events.length === 1);
  await idp.stop();
  await waitUntil('the close', () => state.closed !== null);
  assert.equal(state.closed?.code, 1001);
});

it('a client that answers no ping is disconnected, one that answers stays', async () => {
  const idp = await startIdp({ passport: { heartbeatMs: 50 } });
  const query = `?token=${await tokenAt(idp)}`;
  const [silent, alive] = [listen(idp, query, { autoPong: false }), listen(idp, query)];
  try {
    let pings = 0;
    alive.socket.on('ping', () => {
      pings += 1;
    });
    await waitUntil('the end of one and five pings of the other', () => silent.closed !== null && pings >= 5);
    assert.deepEqual([silent.closed?.code, alive.closed], [1006, null]);
  } finally {
    alive.socket.terminate();
    await idp.stop();
  }
});
