import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { createPlatformProxy } from '../../../adapters/edge-router/platform-proxy.ts';

describe('the proxy from workloads to the platform', () => {
  let provider: Server;
  let proxy: ReturnType<typeof createPlatformProxy>;
  let folder: string;
  let issuer: string;
  before(async () => {
    provider = createServer(({ headers, socket }, response) => {
      const from = socket.remoteAddress;
      response.end(JSON.stringify({ host: headers.host, passedOn: headers['x-forwarded-host'] ?? null, from }));
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    issuer = `http://localhost:${(provider.address() as AddressInfo).port}`;
    folder = await mkdtemp(join(tmpdir(), 'fairlead-proxy-'));
    proxy = createPlatformProxy({ addresses: [issuer], onError: () => undefined });
    proxy.server.listen(join(folder, 'http.sock'));
    await once(proxy.server, 'listening');
  });
  after(async () => {
    await proxy.close(100);
    provider.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function ask(host: string, headers: Record<string, string> = {}) {
    const asked = request({ socketPath: join(folder, 'http.sock'), path: '/', headers: { host, ...headers } }).end();
    const [answer] = await once(asked, 'response');
    return { status: answer.statusCode, body: await text(answer) };
  }

  it('passes on what is for a service of the platform, by the name everybody uses', async () => {
    const { host } = new URL(issuer);
    const { from: _, ...answer } = JSON.parse((await ask(host)).body);
    assert.deepEqual(answer, { host, passedOn: host });
  });

  it('comes from an address that nobody else on the machine has, also with a body and for a WebSocket', async () => {
    const { host } = new URL(issuer);
    const fromHere = JSON.parse(await (await fetch(issuer)).text()).from;
    const ways = [{}, { 'content-length': '0' }, { connection: 'Upgrade', upgrade: 'websocket' }];
    const found = await Promise.all(ways.map(async (headers) => JSON.parse((await ask(host, headers)).body).from));
    assert.deepEqual([fromHere, ...found], ['127.0.0.1', ...ways.map(() => '127.0.0.2')]);
  });

  it('says of every request that it was passed on, whatever headers the workload sends', async () => {
    const { host } = new URL(issuer);
    assert.equal(JSON.parse(await (await fetch(issuer)).text()).passedOn, null, 'this machine sends none');
    for (const headers of [{ 'x-forwarded-host': '' }, { connection: 'x-forwarded-for, x-forwarded-host' }]) {
      assert.equal(JSON.parse((await ask(host, headers)).body).passedOn, host, JSON.stringify(headers));
    }
  });

  it('reaches nothing else on the machine', async () => {
    const { port } = new URL(issuer);
    for (const host of [
      `127.0.0.1:${port}`,
      'localhost:1',
      'localhost',
      'evil.example',
      `localhost:${port}.evil.example`,
    ]) {
      assert.equal((await ask(host)).status, 404, host);
    }
  });
});
