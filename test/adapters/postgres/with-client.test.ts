import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client } from 'pg';
import { withClient } from '../../../adapters/postgres/with-client.ts';
import { startPostgres, type TestPostgres } from '../../support/start-postgres.ts';

const patience = () => AbortSignal.timeout(30_000);

let postgres: TestPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

test('the administrator runs no function of a service, whatever search path its database has', async () => {
  const database = 'shop_prod';
  const login = { user: 'shop_prod_a', password: 'secret' };
  await postgres.server.ensure(database, login, patience());
  const service = new Client({ host: '127.0.0.1', port: postgres.port, database, ...login });
  await service.connect();
  await service.query(`CREATE SCHEMA trap;
    CREATE FUNCTION trap.pg_export_snapshot() RETURNS text LANGUAGE sql AS 'SELECT ''trapped as '' || session_user';
    ALTER DATABASE ${database} SET search_path = trap, pg_catalog, public`);
  await service.end();

  const uri = new URL(postgres.adminUri);
  uri.pathname = `/${database}`;
  const ask = 'SELECT pg_export_snapshot() AS answer';
  const [trapped] = await postgres.query(ask, database);
  assert.equal(trapped?.answer, 'trapped as fairlead', 'the trap works on a connection that is not guarded');
  const { rows } = await withClient(uri.href, patience(), (client) => client.query<{ answer: string }>(ask));
  assert.match(rows[0]?.answer ?? '', /^[0-9A-F]+-[0-9A-F]+-\d+$/);
});

test('a connection whose host died is noticed by the server within half a minute', async () => {
  const text = "SELECT name, setting FROM pg_settings WHERE name LIKE 'tcp_keepalives_%' ORDER BY name";
  const { rows } = await withClient(postgres.adminUri, patience(), (client) => client.query(text));
  assert.deepEqual(
    rows.map(({ setting }) => setting),
    ['3', '15', '5'],
  );
});
