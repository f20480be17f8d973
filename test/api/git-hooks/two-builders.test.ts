import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deliveringTo } from './delivering-to.ts';

it('a secret that another builder took away proves no delivery that comes after that', async () => {
  const { parts, current, deliver, letReadsEnd } = await deliveringTo();
  const before = deliver('old');
  const connection = await current();
  const finished = { ...connection, secrets: connection.secrets.slice(0, 1) };
  assert.ok(await parts.gitConnections.replace(finished, connection.revision));
  const after = [deliver('old'), deliver('next')];
  letReadsEnd();
  assert.deepEqual([await before, ...(await Promise.all(after))], [202, 401, 202]);
});

it('a connection that another builder removed takes no delivery that comes after that', async () => {
  const { parts, current, deliver, letReadsEnd } = await deliveringTo();
  const before = deliver('next');
  assert.ok(await parts.gitConnections.remove((await current()).id));
  const after = deliver('next');
  letReadsEnd();
  assert.deepEqual([await before, await after], [202, 401]);
});

it('however many come at once, each connection is read twice', async () => {
  const { read, deliver, letReadsEnd } = await deliveringTo();
  const statuses = Array.from({ length: 200 }, () => deliver('next'));
  letReadsEnd();
  assert.deepEqual(new Set(await Promise.all(statuses)), new Set([202]));
  assert.equal(read.connections, 2);
});
