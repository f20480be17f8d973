import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type HealthServer, startHealthServer } from '../../../adapters/process/health-server.ts';
import { freePort } from '../../support/free-port.ts';

let server: HealthServer;
let port: number;
let check = async (): Promise<unknown> => undefined;
before(async () => {
  port = await freePort();
  server = await startHealthServer({
    host: '127.0.0.1',
    port,
    portVariable: 'WORKER_HEALTH_PORT',
    check: () => check(),
  });
});
after(() => server.close());

async function answer(path: string): Promise<[number, string]> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return [response.status, ((await response.json()) as { status: string }).status];
}

it('is ready from when it serves until it stops, and alive all the time', async () => {
  assert.deepEqual(
    [await answer('/health'), await answer('/health/live')],
    [
      [503, 'starting'],
      [200, 'ok'],
    ],
  );
  server.ready();
  assert.deepEqual(await answer('/health'), [200, 'ok']);
  assert.deepEqual(await answer('/metrics'), [404, 'no such path']);
  check = () => Promise.reject(new Error('refused at 10.0.0.1'));
  assert.deepEqual(
    [await answer('/health'), await answer('/health/live')],
    [
      [503, 'failing'],
      [200, 'ok'],
    ],
  );
  check = async () => undefined;
  server.stopping();
  assert.deepEqual(
    [await answer('/health'), await answer('/health/live')],
    [
      [503, 'stops'],
      [200, 'ok'],
    ],
  );
});

it('is not ready while what it asks does not answer', { timeout: 30_000 }, async () => {
  check = () => new Promise(() => undefined);
  server.ready();
  assert.deepEqual(await answer('/health'), [503, 'failing']);
});

it('names the variable of a port that is in use', async () => {
  const same = { host: '127.0.0.1', port, portVariable: 'WORKER_HEALTH_PORT', check };
  await assert.rejects(startHealthServer(same), {
    code: 'CONFLICT',
    message: new RegExp(`127\\.0\\.0\\.1:${port}: choose another WORKER_HEALTH_PORT`),
  });
});
