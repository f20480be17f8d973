import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { COLLECTIONS } from '../../../adapters/mongo/monitors/indexes.ts';
import type { OrgSecrets } from '../../../domain/monitors/check-secret.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { httpCheck, startHolderWorld } from './holder-world.ts';

const CANARY = 'canary-of-checks-7f3a';

/** A site of a test that keeps what it is sent. */
async function startListening() {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization ?? '');
    response.writeHead(request.headers.authorization === undefined ? 401 : 200).end();
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', resolve);
  await promise;
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { seen, host: `localhost:${port}`, [Symbol.asyncDispose]: close };
}

const secretsOf = (revision: number, value: string | null, hosts: readonly string[]): OrgSecrets => {
  const sealed = { keyId: 'test', sealed: value ?? '' };
  const secret = { name: 'token', hosts, sealed, setAt: new Date(0), setBy: 'usr_ada' };
  return { org: 'acme', secrets: value === null ? [] : [secret], revision };
};

describe('secrets that checks send', { timeout: 120_000, concurrency: true }, () => {
  it('are sent from the first check on, and another value soon after it was set', async () => {
    await using world = await startHolderWorld();
    await using site = await startListening();
    await world.secrets.write(secretsOf(1, `Bearer ${CANARY}`, [site.host]));
    const headers = [{ name: 'Authorization', secret: 'token' }];
    const { id } = await world.add(4, { ...httpCheck(`http://${site.host}/`), headers });
    world.hold(0);
    await waitUntil('it is up', async () => (await world.verdict(id)) === 'up');
    assert.deepEqual(new Set(site.seen), new Set([`Bearer ${CANARY}`]));
    await world.secrets.write(secretsOf(2, 'Bearer other', [site.host]));
    await waitUntil('the other value is sent', () => site.seen.includes('Bearer other'));
    const first = site.seen.indexOf('Bearer other');
    await waitUntil('it is checked once more', () => site.seen.length > first + 1);
    assert.deepEqual(new Set(site.seen.slice(first)), new Set(['Bearer other']));
    const range = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)] as const;
    const kept = [await world.conditions.find([id]), await world.results.read({ number: 4 }, ...range)];
    assert.doesNotMatch(JSON.stringify([[...(kept[0] as Map<string, object>)], kept[1], world.told]), /canary/);
  });

  it('are sent by no check that was pointed elsewhere; what lacks its secret is not asked, and nobody is told that it is down', async () => {
    await using world = await startHolderWorld();
    await using site = await startListening();
    await world.secrets.write(secretsOf(1, `Bearer ${CANARY}`, ['api.localhost']));
    const headers = [{ name: 'Authorization', secret: 'token' }];
    const { id } = await world.add(8, { ...httpCheck(`http://${site.host}/`), headers });
    const other = await world.add(12, {
      ...httpCheck(`http://${site.host}/`),
      headers: [{ name: 'Authorization', secret: 'gone' }],
    });
    world.hold(0);
    const messageOf = async (of: string) => (await world.conditions.find([of])).get(of)?.last?.message ?? '';
    await waitUntil('both say why', async () => (await messageOf(id)) !== '' && (await messageOf(other.id)) !== '');
    assert.match(await messageOf(id), /Authorization is not sent: the secret token is not for localhost:\d+/);
    assert.match(await messageOf(other.id), /there is no secret gone/);
    const last = (await world.conditions.find([id])).get(id)?.last;
    assert.deepEqual([last?.outcome, last?.problem], ['unknown', 'no-secret']);
    assert.deepEqual([site.seen, world.told], [[], []]);
    await world.secrets.write(secretsOf(2, `Bearer ${CANARY}`, [site.host]));
    await waitUntil('it is up once the host is named', async () => (await world.verdict(id)) === 'up');
  });

  it('are those that were read last while the database is away', async () => {
    await using world = await startHolderWorld();
    await using site = await startListening();
    await world.secrets.write(secretsOf(1, `Bearer ${CANARY}`, [site.host]));
    const headers = [{ name: 'Authorization', secret: 'token' }];
    const { id } = await world.add(16, { ...httpCheck(`http://${site.host}/`), headers });
    world.hold(0);
    await waitUntil('it is up', async () => (await world.verdict(id)) === 'up');
    world.database.isAway = true;
    const before = site.seen.length;
    await waitUntil('it was checked meanwhile', () => site.seen.length > before);
    assert.equal(site.seen.at(-1), `Bearer ${CANARY}`);
  });

  it('of an org whose record nobody can read hold up no check but those that need them', async () => {
    await using world = await startHolderWorld();
    await using site = await startListening();
    await world.secrets.write(secretsOf(1, `Bearer ${CANARY}`, [site.host]));
    const broken = { _id: 'broken' as never, secrets: 'nonsense', revision: 3 };
    await world.db.collection(COLLECTIONS.secrets).insertOne(broken);
    const check = { ...httpCheck(`http://${site.host}/`), headers: [{ name: 'Authorization', secret: 'token' }] };
    const { id } = await world.add(20, check);
    const other = await world.add(24, check, { org: 'broken' });
    world.hold(0);
    await waitUntil('it is up', async () => (await world.verdict(id)) === 'up');
    const messageOf = async () => (await world.conditions.find([other.id])).get(other.id)?.last?.message ?? '';
    await waitUntil('the other says why', async () => /there is no secret token/.test(await messageOf()));
    assert.deepEqual(world.warnings, ['the secrets of checks of broken cannot be read']);
    await world.db.collection(COLLECTIONS.secrets).deleteOne({ _id: broken._id });
    await world.secrets.write({ ...secretsOf(1, `Bearer ${CANARY}`, [site.host]), org: 'broken' });
    await waitUntil('it is up once they are set', async () => (await world.verdict(other.id)) === 'up');
  });
});
