import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createSnapshotFiles } from '../../../adapters/status-page/snapshot-files.ts';
import { ROUTER_ADDRESS } from '../../../domain/status-page/router-address.ts';
import { freePort } from '../../support/free-port.ts';
import { type EdgeFixture, makeEdgeFixture } from './edge-fixture.ts';

const HOST = 'status.localhost';

describe('the host of the status page at the router', () => {
  let fx: EdgeFixture;
  let folder: string;
  let port: number;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-status-'));
    port = await freePort();
    const monitorUrl = `http://127.0.0.1:${port}`;
    fx = await makeEdgeFixture({}, undefined, {
      statusPage: { statusUrl: `http://${HOST}:8000`, monitorUrl, folder, platformOrg: 'platform' },
    });
  });
  after(async () => {
    await fx.end();
    await rm(folder, { recursive: true });
  });

  async function monitor(listener: RequestListener): Promise<Server> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return server;
  }
  const close = (server: Server) =>
    new Promise<unknown>((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });

  it('leads to the monitor, with what the public reads alone, whatever service has that name', async () => {
    const other = await fx.upstream((_request, response) => response.end('a service'));
    await fx.router.route('status', 'prod', { workloadId: 'x', address: other.address }, 1);
    const server = await monitor(({ url }, response) => response.end(`monitor ${url}`));
    for (const path of [
      '/',
      '/?page=2',
      '/status/acme',
      '/api/v2/summary.json',
      '/badges/mon_1/state.svg',
      '/changelog/shop',
      '/feed.atom',
      '/maintenance.ics',
      '/subscribe',
      '/status/acme/subscribe',
      '/subscribers/confirm?subscriber=sub_1&token=t',
      '/subscribers/stop?subscriber=sub_1&token=t',
      '/alerts/stop?channel=chn_1&token=t',
      '/assets/pages.css',
    ]) {
      assert.equal((await fx.ask(HOST, { path })).body, `monitor ${path}`);
    }
    for (const path of [
      '/dashboard',
      '/api/monitors',
      '/api/pulse/register',
      '/api/pulse/unregister',
      '/metrics',
      '//api/monitors',
      '/status',
      '/api/status-page/subscribers',
      '/subscribers',
    ]) {
      assert.equal((await fx.ask(HOST, { path })).status, 404, path);
    }
    assert.equal((await fx.ask('status.prod.localhost')).body, 'a service');
    await close(server);
  });

  it('comes from an address of its own, so that the monitor knows whose word of the visitor it takes', async () => {
    const server = await monitor(({ socket, headers }, response) =>
      response.end(`${socket.remoteAddress} for ${headers['x-forwarded-for']}`),
    );
    const { body } = await fx.ask(HOST, { headers: { 'x-forwarded-for': '203.0.113.7' } });
    assert.equal(body, `${ROUTER_ADDRESS} for 127.0.0.1`);
    await close(server);
  });

  it('shows the copy of the page while the monitor is dead, and says that nobody answers where there is none', async () => {
    assert.equal((await fx.ask(HOST)).status, 502);
    const snapshots = createSnapshotFiles({ folder });
    await snapshots.keep('platform', '<p>as of then</p>');
    await snapshots.keep('acme', '<p>of acme</p>');
    const { status, body, headers } = await fx.ask(HOST);
    assert.deepEqual([status, body, headers['cache-control']], [200, '<p>as of then</p>', 'no-store']);
    assert.match(String(headers['content-security-policy']), /^default-src 'none'/);
    assert.equal((await fx.ask(HOST, { path: '/status/acme' })).body, '<p>of acme</p>');
    assert.equal((await fx.ask(HOST, { path: '/status/..%2facme' })).status, 502);
    assert.equal((await fx.ask(HOST, { path: '/api/v2/summary.json' })).status, 502, 'programs are told the truth');
    assert.equal((await fx.ask(HOST, { method: 'POST', body: 'x' })).status, 502);
  });

  it('shows it while the monitor hangs, after some seconds', async () => {
    const server = await monitor(() => undefined);
    const begun = performance.now();
    assert.equal((await fx.ask(HOST)).body, '<p>as of then</p>');
    assert.ok(performance.now() - begun < 60_000);
    await close(server);
  });
});
