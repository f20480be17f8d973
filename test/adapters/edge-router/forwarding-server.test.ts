import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import { it } from 'node:test';
import type { FindAddress } from '../../../adapters/edge-router/forward-request.ts';
import { createForwardingServer } from '../../../adapters/edge-router/forwarding-server.ts';
import { portOf } from './edge-fixture.ts';

async function portOfNobody(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server as Server);
  server.close();
  await once(server, 'close');
  return port;
}

it('a route that cannot be read when a request is sent once more is answered 503, and the router goes on', async () => {
  const address = new URL(`http://127.0.0.1:${await portOfNobody()}`);
  const errors: unknown[] = [];
  let looks = 0;
  const find: FindAddress = () => {
    looks += 1;
    if (looks % 2 === 0) throw new Error('EMFILE: too many open files');
    return { address };
  };
  const router = createForwardingServer({ find, onError: (error) => void errors.push(error) });
  router.server.listen(0, '127.0.0.1');
  await once(router.server, 'listening');
  try {
    for (let times = 0; times < 2; times += 1) {
      const { status } = await fetch(`http://127.0.0.1:${portOf(router.server)}/`);
      assert.equal(status, 503);
    }
    assert.match(String(errors[0]), /EMFILE/);
  } finally {
    await router.close(0);
  }
});
