import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { z } from 'zod';
import type { databaseViewSchema } from '../../domain/databases/database-schema.ts';
import { waitUntil } from '../support/wait-until.ts';
import { api, completed, trigger, visit } from './harness.ts';
import { sampleService } from './sample-service.ts';

/** In the container: writes a row, reads all, and tries what is not the service's. */
const COMPUTES = `(async () => {
  const { default: pg } = await import('pg');
  const uri = process.env.POSTGRES_URI;
  const ask = async (change, text) => {
    const address = new URL(uri);
    change(address);
    const client = new pg.Client({ connectionString: address.href });
    try {
      await client.connect();
      return (await client.query(text)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const refused = (change) => ask(change, 'SELECT 1').then(() => 'let in', (error) => error.code);
  await ask(() => undefined, 'CREATE TABLE IF NOT EXISTS visits (at timestamptz DEFAULT now())');
  await ask(() => undefined, 'INSERT INTO visits DEFAULT VALUES');
  const asked = new URL('http://x' + request.url).searchParams;
  const other = asked.get('other');
  const { createClient } = await import('@redis/client');
  const prefix = process.env.REDIS_KEY_PREFIX;
  const cached = async (args) => {
    const client = createClient({ url: process.env.REDIS_URL, socket: { reconnectStrategy: false } });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.sendCommand(args);
    } catch (error) {
      return error.message.split(' ')[0];
    } finally {
      client.destroy();
    }
  };
  return {
    same: process.env.DATABASE_URL === uri,
    host: new URL(uri).hostname,
    visits: (await ask(() => undefined, 'SELECT count(*)::int AS count FROM visits'))[0].count,
    prefix,
    cached: await cached(['INCR', prefix + 'visits']),
    otherKeys: other && await cached(['GET', asked.get('prefix') + 'visits']),
    allKeys: await cached(['SCAN', '0']),
    other: other && await refused((address) => { address.pathname = '/' + other; }),
    admin: await refused((address) => { address.username = 'fairlead'; }),
    template: await refused((address) => { address.pathname = '/postgres'; }),
  };
})()`;

const INSTALL = 'RUN npm install --no-audit --no-fund pg@8 @redis/client@6';

type Login = z.output<typeof databaseViewSchema>;

/** The login of a database before and after a rotation, during which `visited` never fails. */
async function rotated(service: string, visited: () => Promise<void>) {
  const read = async (): Promise<Login> => {
    const { data } = await api<{ readonly databases: readonly Login[] }>(
      'GET',
      `/services/${service}/databases/logins`,
    );
    const login = data.databases.find(({ engine }) => engine === 'postgres');
    assert.ok(login !== undefined);
    return login;
  };
  const before = await read();
  assert.equal((await api('POST', `/services/${service}/databases/rotate`, { type: 'postgres' })).status, 202);
  let after = await read();
  await waitUntil(
    'the rotation',
    async () => {
      await visited();
      after = await read();
      return after.rotation === 'none' && after.loginIssuedAt !== before.loginIssuedAt;
    },
    { withinMs: 180_000 },
  );
  return { before, after };
}

describe('a service with a PostgreSQL database and Redis', { timeout: 890_000 }, () => {
  it('writes and reads rows and keys over redeploys, and reaches no other service’s database and not the administrator', async () => {
    const spec = '  databases: [{ type: postgres }, { type: redis }]';
    const app = { spec, computes: COMPUTES, instructions: INSTALL };
    await using shop = await sampleService('with-rows', app);
    await using other = await sampleService('other-rows', app);
    await using without = await sampleService('no-rows', {
      computes: `import('node:dns/promises').then(({ lookup }) => Promise.allSettled(['postgres', 'redis'].map((name) => lookup(name + '.internal'))).then((all) => all.map(({ reason }) => reason?.code)))`,
    });
    const builds = await Promise.all([shop, other, without].map(({ name }) => trigger(name)));
    await Promise.all(builds.map(({ buildId }) => completed(buildId)));
    const seen = async (query = '') => JSON.parse((await visit(shop.name, `/${query}`)).body).computed;
    const { prefix } = JSON.parse((await visit(other.name)).body).computed;
    assert.match(prefix, new RegExp(`^${other.name}_prod\\.[0-9a-f]{12}:$`));
    const first = await seen(`?${new URLSearchParams({ other: `${other.name}_prod`, prefix })}`);
    assert.match(first.prefix, new RegExp(`^${shop.name}_prod\\.[0-9a-f]{12}:$`));
    assert.deepEqual(first, {
      ...{ same: true, host: 'postgres.internal', visits: 1 },
      ...{ other: '28000', admin: '28P01', template: '28000' },
      ...{ prefix: first.prefix, cached: 1, otherKeys: 'NOPERM', allKeys: 'NOPERM' },
    });
    const { computed } = JSON.parse((await visit(without.name)).body);
    assert.equal(computed.length, 2);
    for (const code of computed) assert.match(code, /ENOTFOUND|EAI_AGAIN/);

    await writeFile(join(shop.repository.path, 'note.txt'), 'again');
    await shop.repository.commit('again');
    const { warnings } = await completed((await trigger(shop.name)).buildId);
    assert.ok(!warnings.some((warning) => warning.includes('database')), warnings.join());
    const again = await seen();
    assert.deepEqual([again.visits, again.cached, again.prefix], [2, 2, first.prefix]);
    const answered = await rotated(shop.name, async () => void (await seen()));
    assert.deepEqual([answered.before.user, answered.after.user], [`${shop.name}_prod_a`, `${shop.name}_prod_b`]);
    assert.ok((await seen()).visits >= 3, 'with the new login');
  });
});
