import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { createPublicChangelogs } from '../../../adapters/registry/public-changelogs.ts';
import { startRegistry } from '../../support/start-registry.ts';

const AT = '2026-01-02T03:04:00.000Z';
const never = new AbortController().signal;

it('reads from the registry without a credential what deploys published, and null for a service without it', async (t) => {
  const registry = await startRegistry();
  t.after(() => registry.stop());
  await registry.call('PUT', '/v1/services/svc_1', { name: 'shop', org: 'acme', serviceSince: AT });
  const walkthroughUrl = 'https://shop.example.com/tour';
  const body = { serviceId: 'svc_1', notes: '- faster', version: '1.2.0', deployedAt: AT, walkthroughUrl };
  await registry.call('POST', '/api/plugins/shop/changelog', body);
  const changelogs = createPublicChangelogs({ url: registry.address });
  assert.deepEqual(await changelogs.find('shop', never), {
    ...{ service: 'shop', notes: '- faster', version: '1.2.0', deployedAt: new Date(AT), walkthroughUrl },
  });
  assert.equal(await changelogs.find('nobody', never), null);
});

it('is UNAVAILABLE where the registry is away, redirects, or answers something else or too much', async (t) => {
  const answers = {
    '/redirect': { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' },
    '/odd': { status: 200, headers: {}, body: '{"success":true,"data":{"notes":1}}' },
    '/broken': { status: 500, headers: {}, body: '' },
    '/endless': { status: 200, headers: {}, body: ' '.repeat(1024 * 1024) },
  } as const;
  const server = createServer(({ url = '' }, response) => {
    const [, answer] = Object.entries(answers).find(([path]) => url.startsWith(path)) ?? [];
    response.writeHead(answer?.status ?? 404, answer?.headers).end(answer?.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const url of [...Object.keys(answers).map((path) => base + path), 'http://127.0.0.1:1']) {
    await assert.rejects(createPublicChangelogs({ url }).find('shop', never), { code: 'UNAVAILABLE' }, url);
  }
});
