import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createServiceRegistry } from '../../../adapters/registry/service-registry.ts';
import { serviceRegistrySuite } from '../../ports/registry/service-registry.ts';
import { createInMemoryServiceRegistry } from '../../support/in-memory/service-registry.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { KEY, startRegistry, type TestRegistry } from '../../support/start-registry.ts';

describe('the service registry over HTTP', () => {
  let server: TestRegistry;
  before(async () => {
    server = await startRegistry();
  });
  after(() => server.stop());
  serviceRegistrySuite(() => ({
    registry: createServiceRegistry({ url: server.address, internalKey: KEY }),
    publish: ({ package: name, version, notes }) =>
      server.call('PUT', `/v1/package-changelogs/${encodeURIComponent(`${name}@${version}`)}`, { notes }),
  }));
});

describe('the service registry in memory', () => {
  const registry = createInMemoryServiceRegistry({ now: () => new Date() });
  serviceRegistrySuite(() => ({ registry, publish: registry.stores.packages.publish }));
});

const json = (body: string) => (response: ServerResponse) =>
  void response.setHeader('content-type', 'application/json').end(body);

/** What a registry that is not well answers, and what the builder is told of it. */
const FAULTS: readonly [name: string, answer: (response: ServerResponse) => void, message: RegExp][] = [
  ['hangs', () => undefined, /did not answer within 0\.2 s/],
  [
    'dies half-way',
    (response) => void response.writeHead(200, { 'content-length': '999' }).write('{"succ', () => response.destroy()),
    /cannot be reached/,
  ],
  ['stalls half-way', (response) => void response.writeHead(200).write('{"success"'), /did not answer within 0\.2 s/],
  ['answers garbage', json('<html>'), /answered 200 in an unexpected format/],
  ['answers another envelope', json('{"ok":1}'), /answered 200 in an unexpected format/],
  ['answers data of another format', json('{"success":true,"data":[]}'), /has another version/],
  [
    'redirects',
    (response) => void response.writeHead(302, { location: 'http://elsewhere.example/' }).end(),
    /cannot be reached/,
  ],
  ['fails', json('{"success":false,"error":{"code":"INTERNAL","message":"x"}}'), /failed with INTERNAL/],
  ['refuses the key', json('{"success":false,"error":{"code":"UNAUTHORIZED","message":"x"}}'), /INTERNAL_SERVICE_KEY/],
  ['knows codes that we do not', json('{"success":false,"error":{"code":"NEW","message":"x"}}'), /failed with NEW/],
];

describe('the client of a service registry', () => {
  for (const [name, answer, message] of FAULTS) {
    it(`that ${name} says that the registry is unavailable`, async () => {
      const server = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const isSilent = message.source.includes('did not answer');
        const registry = createServiceRegistry({ url, internalKey: KEY, timeoutMs: isSilent ? 200 : PATIENCE_MS });
        const failure = { code: 'UNAVAILABLE', system: 'registry', retryable: true, message };
        await assert.rejects(registry.createNamespace('svc_hello', 'prod'), failure);
        await assert.rejects(registry.lastManifest({ serviceId: 'svc_hello', environment: 'prod' }), failure);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
  }

  it('that is gone says that the registry cannot be reached; one that is told to stop stops', async () => {
    const registry = createServiceRegistry({ url: 'http://127.0.0.1:1', internalKey: KEY });
    await assert.rejects(registry.removeService('svc_hello'), { code: 'UNAVAILABLE', message: /cannot be reached/ });
    const reason = new Error('cancelled');
    const signal = AbortSignal.abort(reason);
    await assert.rejects(registry.removeService('svc_hello', signal), (error) => error === reason);
  });
});
