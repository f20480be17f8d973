import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { createClientAdministration } from '../../../adapters/idp/client-administration.ts';
import { FairleadError } from '../../../domain/errors.ts';

/** How the adapter takes a provider that misbehaves; what it does with a real one is in test/api/oauth-clients. */

const KEY = 'internal-key-of-the-adapter-test-0123456789';

let server: Server;
let url: string;
let answer: RequestListener = (_request, response) => response.end();
const seen: { method: string; url: string; headers: NodeJS.Dict<string | string[]> }[] = [];

before(async () => {
  server = createServer((request, response) => {
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : '';
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const clients = (timeoutMs = 5_000) => createClientAdministration({ url, internalKey: KEY, timeoutMs });

const replies =
  (status: number, body: unknown): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

const refusal = (code: string, message = 'no') => replies(400, { success: false, error: { code, message } });

const failsWith =
  (code: string, retryable: boolean, message = /./) =>
  (error: unknown) => {
    assert.ok(error instanceof FairleadError, String(error));
    assert.deepEqual([error.code, error.retryable], [code, retryable]);
    assert.match(error.message, message);
    assert.ok(!JSON.stringify([error.message, error.details]).includes(KEY));
    return true;
  };

describe('the identity provider’s clients over HTTP', () => {
  it('names the person it asks for, and puts the key in its header alone', async () => {
    answer = replies(200, { success: true, data: { clientId: 'a/b' } });
    seen.length = 0;
    assert.equal(await clients().remove('a/b?x=1', { actor: 'usr_ada' }), true);
    const [request] = seen;
    assert.deepEqual([request?.method, request?.url], ['DELETE', '/api/internal/oauth-clients/a%2Fb%3Fx%3D1']);
    assert.deepEqual([request?.headers['x-internal-key'], request?.headers['x-acting-for']], [KEY, 'usr_ada']);
  });

  it('passes on what is about the request, with the provider’s words', async () => {
    answer = refusal('INVALID_REDIRECT_URI', 'Invalid Redirect URI: no');
    await assert.rejects(
      clients().addRedirectUri('shop', 'http://x', { actor: 'usr_ada' }),
      failsWith('INVALID_REDIRECT_URI', false, /Invalid Redirect URI: no/),
    );
  });

  it('a client that is not there is null to find and false to remove', async () => {
    answer = refusal('CLIENT_NOT_FOUND');
    assert.equal(await clients().find('nobody'), null);
    assert.equal(await clients().remove('nobody', { actor: 'usr_ada' }), false);
    await assert.rejects(clients().regenerateSecret('nobody', { actor: 'x' }), failsWith('CLIENT_NOT_FOUND', false));
  });

  it('a provider that refuses the key, fails, or has codes of its own, is unavailable and may be asked again', async () => {
    for (const code of ['UNAUTHORIZED', 'INTERNAL', 'UNAVAILABLE', 'RATE_LIMITED', 'SOMETHING_NEW']) {
      answer = refusal(code);
      await assert.rejects(clients().find('shop'), failsWith('UNAVAILABLE', true), code);
    }
  });

  it('an answer that is not the provider’s is not taken for one', async () => {
    for (const [status, body] of [
      [200, 'hello'],
      [502, { message: 'bad gateway' }],
      [200, { success: true, data: { clientId: 'shop' } }],
      [200, { success: true }],
    ] as const) {
      answer = replies(status, body);
      await assert.rejects(clients().find('shop'), failsWith('UNAVAILABLE', true), JSON.stringify(body));
    }
  });

  it('the key does not follow a redirect', async () => {
    answer = (request, response) => {
      if (request.url === '/elsewhere') response.end('{}');
      else response.writeHead(307, { location: '/elsewhere' }).end();
    };
    seen.length = 0;
    await assert.rejects(clients().find('shop'), failsWith('UNAVAILABLE', true));
    assert.ok(!seen.some((request) => request.url === '/elsewhere'));
  });

  it('a provider that never answers is given up after the time set', async () => {
    answer = () => undefined;
    await assert.rejects(clients(50).find('shop'), failsWith('UNAVAILABLE', true, /did not answer within 0\.05 s/));
  });

  it('a caller that gives up gets its own reason back, not the provider’s absence', async () => {
    answer = () => undefined;
    const caller = new AbortController();
    const reason = new Error('cancelled');
    const request = clients().provision(
      {
        service: 'shop',
        environment: 'prod',
        orgSlug: 'acme',
        redirectUris: [],
        scopes: [],
        grantTypes: [],
        create: true,
      },
      caller.signal,
    );
    caller.abort(reason);
    await assert.rejects(request, (error) => error === reason);
  });
});
