import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { z } from 'zod';
import { createHttpPlatform } from '../../../web/platform/http-platform.ts';

describe('the APIs as a person may use them', () => {
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    const answer = () => response.end(JSON.stringify({ success: true, data: 'done' }));
    if (request.url === '/slow') waiting.push(answer);
    else answer();
  });
  let platform: ReturnType<ReturnType<typeof createHttpPlatform>>;
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const urls = { 'site-registry': `http://127.0.0.1:${port}` };
    platform = createHttpPlatform({ urls, answerMs: 300 })({ token: async () => 'token' });
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('a part that does not answer is given up, unless its caller waits longer', async () => {
    const done = z.literal('done');
    await assert.rejects(platform.send('site-registry', 'POST', '/slow', done), { code: 'UNAVAILABLE' });
    waiting.length = 0;
    const asked = platform.send('site-registry', 'POST', '/slow', done, { waitMs: 60_000 });
    // By then the first one would have been given up.
    await assert.rejects(platform.get('site-registry', '/slow', done), { code: 'UNAVAILABLE' });
    for (const answer of waiting) answer();
    assert.equal(await asked, 'done');
  });
});
