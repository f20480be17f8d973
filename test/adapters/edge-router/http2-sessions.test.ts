import assert from 'node:assert/strict';
import { duplexPair } from 'node:stream';
import { it } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { createHttp2Sessions } from '../../../adapters/edge-router/http2-sessions.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Field, openRawHttp2 } from './raw-http2.ts';

const POST: readonly Field[] = [
  [':method', 'POST'],
  [':scheme', 'https'],
  [':path', '/'],
  [':authority', 'shop.example.com'],
];

it('a request that is reset before it is looked at is passed over, and the next one is passed on', async () => {
  const passedOn: (string | undefined)[] = [];
  const sessions = createHttp2Sessions(
    (request, response) => {
      passedOn.push(request.url);
      response.destroy();
    },
    { timeouts: { idle: 10_000, request: 10_000 }, onError: (error) => assert.fail(String(error)) },
  );
  // What comes at once over such a pair is read before anything is told of it.
  const [client, server] = duplexPair();
  sessions.accept(server as TLSSocket);
  const raw = openRawHttp2(client);
  raw.headersAndReset(1, [...POST, ['expect', '100-continue']]);
  raw.headers(3, POST, { end: true });
  await waitUntil('the next one is passed on', () => passedOn.length > 0);
  assert.deepEqual(passedOn, ['/']);
  sessions.close();
});
