import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import express from 'express';
import { clientAddress } from '../../../api/http/client-address.ts';

/** The address told for a request with that header, behind these trusted proxies; and what Express tells its handlers. */
async function told(trusted: string[] | false, forwardedFor: string): Promise<{ ours: string; express: string }> {
  const app = express();
  app.set('trust proxy', trusted);
  const result = { ours: '', express: '' };
  app.use((seen, response) => {
    result.express = seen.ip ?? '';
    response.end();
  });
  const server = createServer((incoming, response) => {
    result.ours = clientAddress(app, incoming);
    app(incoming, response);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((done, failed) => {
    const headers = { 'x-forwarded-for': forwardedFor };
    request({ host: '127.0.0.1', port, headers }, (response) => response.resume().once('end', done))
      .once('error', failed)
      .end();
  });
  server.close();
  return result;
}

it('is the same that Express tells: a proxy is believed when it is trusted, and nobody else', async () => {
  const cases = [
    { trusted: false as const, forwardedFor: '203.0.113.7', address: '127.0.0.1' },
    { trusted: ['loopback'], forwardedFor: '203.0.113.7', address: '203.0.113.7' },
    { trusted: ['loopback'], forwardedFor: '10.9.9.9, 203.0.113.7', address: '203.0.113.7' },
    { trusted: ['10.0.0.0/8'], forwardedFor: '203.0.113.7', address: '127.0.0.1' },
  ];
  for (const { trusted, forwardedFor, address } of cases) {
    assert.deepEqual(await told(trusted, forwardedFor), { ours: address, express: address }, forwardedFor);
  }
});
