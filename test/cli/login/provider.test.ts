import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { findProvider } from '../../../cli/login/provider.ts';

/** An API whose metadata the test sets. */
let metadata: { status: number; body: string };
let url: string;
const server = createServer((request, response) => {
  const known = request.url === '/.well-known/oauth-protected-resource';
  response.writeHead(known ? metadata.status : 404, { 'content-type': 'application/json' });
  response.end(known ? metadata.body : '{}');
});
before(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const says = (fields: object, status = 200) => {
  const usual = { resource: url, authorization_servers: [url], bearer_methods_supported: ['header'] };
  metadata = { status, body: JSON.stringify({ ...usual, ...fields }) };
};

it('an API that calls itself otherwise than it was asked for is not logged in to', async () => {
  for (const resource of ['https://elsewhere.example', `${url}/other`, url.replace('127.0.0.1', 'localhost')]) {
    says({ resource });
    await assert.rejects(findProvider(url), { code: 'RESOURCE_MISMATCH', exit: 'auth' }, resource);
  }
});

it('an API without metadata, without a provider, or with one at no web address takes no logins', async () => {
  says({}, 404);
  await assert.rejects(findProvider(url), { code: 'NO_IDENTITY_PROVIDER', exit: 'auth' });
  for (const servers of [[], 'https://id.example', ['file:///etc/passwd'], ['javascript:alert(1)']]) {
    says({ authorization_servers: servers });
    await assert.rejects(findProvider(url), { code: 'NO_IDENTITY_PROVIDER' }, String(servers));
  }
});

it('an API or a provider that does not answer as one is unreachable', async () => {
  metadata = { status: 200, body: '<html>' };
  await assert.rejects(findProvider(url), { code: 'UNREACHABLE', exit: 'unreachable' });
  says({ authorization_servers: [`${url}/no-provider`] });
  await assert.rejects(findProvider(url), { code: 'UNREACHABLE', message: /identity provider at/ });
  await assert.rejects(findProvider('http://127.0.0.1:9'), { code: 'UNREACHABLE', message: /builder API at/ });
});
