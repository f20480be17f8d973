import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { it } from 'node:test';
import { startServer } from '../../../api/http/server.ts';

it('ends with the last request in flight, even if its client would keep the connection', {
  timeout: 20_000,
}, async () => {
  const arrived = Promise.withResolvers<void>();
  const proceed = Promise.withResolvers<void>();
  const answer = async (response: { end(text: string): unknown }): Promise<void> => {
    arrived.resolve();
    await proceed.promise;
    response.end('done');
  };
  const server = await startServer((_request, response) => void answer(response), {
    ...{ host: '127.0.0.1', port: 0, stopping: new AbortController() },
    // Far more than this test may take: whoever waits for it fails.
    graceMs: 600_000,
  });
  const agent = new Agent({ keepAlive: true });
  const request = get(server.address, { agent });
  await arrived.promise;
  const stopped = server.stop();
  proceed.resolve();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  response.resume();
  await once(response, 'end');
  await stopped;
  agent.destroy();
});
