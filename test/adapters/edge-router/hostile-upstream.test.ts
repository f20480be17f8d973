import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { ANSWERS, type HostileAnswer, type Seen, UPGRADES } from '../../hostile/upstream-answers.ts';
import { type EdgeFixture, handshake, makeEdgeFixture } from './edge-fixture.ts';

describe('the router behind a hostile service', () => {
  let fx: EdgeFixture;
  const servers: { close(): void }[] = [];
  const sockets = new Set<Socket>();
  before(async () => {
    fx = await makeEdgeFixture({ answer: 400 });
    const healthy = await fx.upstream((_request, response) => response.end('well'));
    await fx.router.route('healthy', 'prod', { workloadId: 'h', address: healthy.address }, 1);
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers) server.close();
    await fx.end();
  });

  /** A service that answers every request with these bytes. */
  async function route({ bytes, open }: Pick<HostileAnswer, 'bytes' | 'open'>): Promise<void> {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(Buffer.from(bytes, 'latin1'));
        if (open === undefined) socket.end();
      });
    }).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await fx.router.route('hostile', 'prod', { workloadId: 'x', address: `http://127.0.0.1:${port}` }, 1);
  }

  const ask = (method: string): Promise<Seen> =>
    fx.ask('hostile.prod.localhost', { method, ...(method === 'POST' ? { body: 'pay' } : {}) }).then(
      ({ status }) => status,
      () => 'cut',
    );

  /** The status line that comes back on a bare connection. */
  async function shake(): Promise<Seen> {
    const { socket, received } = fx.dial(handshake('hostile.prod.localhost'));
    await once(socket, 'close');
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(received())?.[1] ?? Number.NaN) || 'cut';
  }

  const othersServed = async () => assert.equal((await fx.ask('healthy.prod.localhost')).body, 'well');

  for (const answer of ANSWERS) {
    it(`${answer.name}: the client sees ${answer.seen}, and others are served`, async () => {
      await route(answer);
      for (const method of ['GET', 'POST']) assert.equal(await ask(method), answer.seen, method);
      await othersServed();
    });
  }

  for (const answer of UPGRADES) {
    it(`handshake, ${answer.name}: the client sees ${answer.seen}, and others are served`, async () => {
      await route(answer);
      assert.equal(await shake(), answer.seen);
      await othersServed();
    });
  }

  it('an answer to a handshake that is not 101 is checked like an ordinary answer', async () => {
    await route({ bytes: 'HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n' });
    assert.equal(await shake(), 403);
  });

  it('a refused answer is logged for the operator with the name of its host', async () => {
    await route({ bytes: 'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n' });
    await ask('GET');
    assert.match(String(fx.errors.at(-1)), /hostile\.prod\.localhost: an answer was refused: status 99/);
  });
});
