import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { choosePorts } from '../../infra/dev/stack-ports.ts';

test('a port in use is named with what it is for and the variable that changes it', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  try {
    await assert.rejects(
      choosePorts('fixed', { FAIRLEAD_TEMPORAL_PORT: String(address.port) }, ['temporal']),
      new RegExp(`port ${address.port} for Temporal is in use: .*FAIRLEAD_TEMPORAL_PORT=<port>`),
    );
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});

test('a variable that is no port is refused', async () => {
  await assert.rejects(choosePorts('fixed', { EDGE_PORT: 'eighty' }, []), /EDGE_PORT=eighty is not a port/);
});

test('free ports are all different', async () => {
  const ports = Object.values(await choosePorts('free', {}, []));
  assert.equal(new Set(ports).size, ports.length);
});
