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
import { mayReadOutbox } from '../../../api/identity/mail/outbox-access.ts';

describe('the proxy from workloads to the platform', () => {
  let provider: Server;
  let proxy: ReturnType<typeof createPlatformProxy>;
  let folder: string;
  let issuer: string;
  before(async () => {
    // Answers what the provider would make of the request: whether it takes it for one of this machine's own.
    provider = createServer(({ headers, socket }, response) => {
      const context = { caller: null, address: socket.remoteAddress ?? '', headers };
      response.end(
        JSON.stringify({ host: headers.host, outbox: mayReadOutbox({ issuer, openOutbox: true }, context) }),
      );
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
    assert.deepEqual(JSON.parse((await ask(host)).body), { host, outbox: false });
  });

  it('never lets a workload pass for somebody who sits at this machine, whatever headers it sends', async () => {
    const { host } = new URL(issuer);
    const own = await (await fetch(issuer)).text();
    assert.equal(JSON.parse(own).outbox, true, 'the machine itself is let in');
    for (const headers of [{ 'x-forwarded-for': '' }, { connection: 'x-forwarded-for, x-forwarded-host' }]) {
      assert.equal(JSON.parse((await ask(host, headers)).body).outbox, false, JSON.stringify(headers));
    }
  });

  it('has nothing else of the machine behind it', async () => {
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
