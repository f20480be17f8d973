import assert from 'node:assert/strict';
import { it } from 'node:test';
import { toolEnv } from '../../../adapters/dump-tools/postgres-connection.ts';

const LOGIN = { user: 'admin', password: 's3cret' };

it('the tools know the server as the address of the administrator says', () => {
  const tls = 'sslmode=verify-full&sslrootcert=/etc/ca%20one.pem&sslcert=/etc/me.pem&sslkey=/etc/me.key';
  const env = toolEnv(`postgresql://x:y@[::1]:6432/postgres?${tls}`, 'shop_prod', LOGIN);
  assert.deepEqual(
    [env.PGHOST, env.PGPORT, env.PGDATABASE, env.PGUSER, env.PGPASSWORD],
    ['::1', '6432', 'shop_prod', 'admin', 's3cret'],
  );
  assert.deepEqual(
    [env.PGSSLMODE, env.PGSSLROOTCERT, env.PGSSLCERT, env.PGSSLKEY],
    ['verify-full', '/etc/ca one.pem', '/etc/me.pem', '/etc/me.key'],
  );
});

it('nothing that the address leaves out is set', () => {
  const env = toolEnv('postgresql://x:y@db.internal/postgres', 'shop_prod', LOGIN);
  assert.equal(env.PGPORT, '5432');
  assert.deepEqual(
    Object.keys(env).filter((name) => name.startsWith('PGSSL')),
    [],
  );
});
