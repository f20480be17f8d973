import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { createPostgresServer } from '../../../adapters/postgres/database-server.ts';
import { databaseServerSuite } from '../../ports/database-server.ts';
import { isPlayed } from '../../support/is-played.ts';
import { startPostgres, type TestPostgres } from '../../support/start-postgres.ts';
import { type PostgresCutter, startPostgresCutter } from './postgres-cutter.ts';

const signal = new AbortController().signal;

let postgres: TestPostgres;
let cutter: PostgresCutter;
before(async () => {
  postgres = await startPostgres();
  cutter = await startPostgresCutter(postgres.port);
});
after(async () => {
  await cutter.stop();
  await postgres.stop();
});

databaseServerSuite('PostgreSQL', () => postgres);

function throughCutter() {
  const uri = new URL(postgres.adminUri);
  uri.port = String(cutter.port);
  return createPostgresServer({ adminUri: uri.href });
}

for (const when of ['before', 'after'] as const) {
  test(`killed ${when} any statement, the next call ends what it began`, async () => {
    let statement = 0;
    let isCut = true;
    while (isCut) {
      statement += 1;
      assert.ok(statement < 60, 'each statement was cut once');
      if (!isPlayed(statement)) continue;
      const database = `cut-${when}-${statement}_prod`;
      const login = { user: `${database}_a`, password: 'secret' };
      cutter.cutAt(statement, when);
      const first = throughCutter().ensure(database, login, signal);
      await first.catch((error) => assert.equal(error.retryable, true, String(error.cause)));
      isCut = cutter.wasCut();
      await postgres.server.ensure(database, login, signal);
      const connection = await postgres.connect(database, login);
      await connection.write('there');
      await connection.close();
      cutter.cutAt(statement, when);
      await throughCutter()
        .drop(database, signal)
        .catch((error) => assert.equal(error.retryable, true, String(error.cause)));
      await postgres.server.drop(database, signal);
      assert.deepEqual(await postgres.query(`SELECT rolname FROM pg_roles WHERE rolname LIKE '${database}%'`), []);
    }
    cutter.cutAt(null, when);
    assert.ok(statement > 15, `${statement} statements`);
  });
}

test('a user owns nothing that others have, and may make neither roles nor databases', async () => {
  const database = 'bounded_prod';
  const login = { user: `${database}_a`, password: 'secret' };
  await postgres.server.ensure(database, login, signal);
  const roles = await postgres.query(
    `SELECT rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls, rolcanlogin, rolconnlimit
     FROM pg_roles WHERE rolname IN ('${database}', '${login.user}') ORDER BY rolname`,
  );
  const none = {
    rolsuper: false,
    rolcreatedb: false,
    rolcreaterole: false,
    rolreplication: false,
    rolbypassrls: false,
  };
  assert.deepEqual(roles, [
    { rolname: database, ...none, rolcanlogin: false, rolconnlimit: -1 },
    { rolname: login.user, ...none, rolcanlogin: true, rolconnlimit: 50 },
  ]);
  const { Client } = await import('pg');
  const client = new Client({ host: '127.0.0.1', port: postgres.port, database, ...login });
  await client.connect();
  try {
    const refused = [
      ['CREATE ROLE thief LOGIN', '42501'],
      ['CREATE DATABASE loot', '42501'],
      ['SET ROLE fairlead', '42501'],
      ['SET SESSION AUTHORIZATION fairlead', '42501'],
      ["COPY (SELECT 1) TO PROGRAM 'id'", '42501'],
      ["SELECT pg_read_file('postgresql.conf')", '42501'],
      ['SELECT rolpassword FROM pg_authid', '42501'],
      ['CREATE EXTENSION dblink', '42501'],
      ["SELECT lo_import('/etc/passwd')", '42501'],
      [`ALTER ROLE "${database}" LOGIN`, '42501'],
    ] as const;
    for (const [text, code] of refused) await assert.rejects(client.query(text), { code }, text);
    // What it makes after it left the role is the service's all the same, by what its next user inherits.
    const { rows } = await client.query('SELECT CURRENT_USER AS acting, SESSION_USER AS user');
    assert.deepEqual(rows, [{ acting: database, user: login.user }]);
  } finally {
    await client.end();
  }
});

test('its password reaches neither the statements that the server shows nor its log', async () => {
  const login = { user: 'silent_prod_a', password: 'canary-of-a-password' };
  await postgres.server.ensure('silent_prod', login, signal);
  const [stored] = await postgres.query(`SELECT rolpassword FROM pg_authid WHERE rolname = '${login.user}'`);
  assert.match(String(stored?.rolpassword), /^SCRAM-SHA-256\$4096:/);
  await (await postgres.connect('silent_prod', login)).close();
});

test('names are quoted, whatever is in them', async () => {
  const database = `we"ird'; DROP ROLE fairlead; --_prod`;
  const login = { user: `${database}_a`, password: "'; DROP ROLE fairlead; --" };
  await postgres.server.ensure(database, login, signal);
  await (await postgres.connect(database, login)).close();
  await postgres.server.withdraw(database, login.user, signal);
  await postgres.server.drop(database, signal);
});

test('a database or a role of that name that the platform did not make is neither changed nor dropped', async () => {
  await postgres.query('CREATE DATABASE "by-hand_prod"');
  await postgres.query(`CREATE ROLE "role-by-hand_prod" LOGIN SUPERUSER`);
  for (const database of ['by-hand_prod', 'role-by-hand_prod']) {
    const login = { user: `${database}_a`, password: 'secret' };
    await assert.rejects(postgres.server.ensure(database, login, signal), { code: 'CONFLICT' });
  }
  await assert.rejects(postgres.server.drop('role-by-hand_prod', signal), { code: 'CONFLICT' });
  await assert.rejects(postgres.server.drop('by-hand_prod', signal), { code: 'CONFLICT' });
  assert.equal((await postgres.query(`SELECT 1 FROM pg_database WHERE datname = 'by-hand_prod'`)).length, 1);
});

test('a database that anybody may connect to is named, as are its remedies', async () => {
  await postgres.query('CREATE DATABASE "open"');
  const login = { user: 'warned_prod_a', password: 'secret' };
  const warnings = await postgres.server.ensure('warned_prod', login, signal);
  assert.match(warnings.join('\n'), /connect to its database open:.*REVOKE CONNECT ON DATABASE "open" FROM PUBLIC/);
  assert.doesNotMatch(warnings.join('\n'), /template|database postgres|_uat/);
  await postgres.query('DROP DATABASE "open"');
});

test('a server that is away, hangs up, or refuses the administrator is told apart', async () => {
  const deaf = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
  const { port } = deaf.address() as { port: number };
  const at = (change: (uri: URL) => void) => {
    const uri = new URL(postgres.adminUri);
    change(uri);
    return createPostgresServer({ adminUri: uri.href }).list(signal);
  };
  try {
    await assert.rejects(
      at((uri) => {
        uri.port = String(port);
      }),
      { code: 'UNAVAILABLE', retryable: true },
    );
    await assert.rejects(
      at((uri) => {
        uri.port = '1';
      }),
      { code: 'UNAVAILABLE', retryable: true, message: /ECONNREFUSED/ },
    );
    await assert.rejects(
      at((uri) => {
        uri.password = 'guessed';
      }),
      { code: 'UNAVAILABLE', retryable: false, message: /refuses the credentials of DB_POSTGRES_ADMIN_URI/ },
    );
  } finally {
    deaf.close();
  }
});

test('a call that is cancelled while it waits for another one ends at once', async () => {
  const { Client } = await import('pg');
  const holder = new Client({ connectionString: postgres.adminUri });
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', ['fairlead waiting_prod']);
  const cancel = new AbortController();
  const login = { user: 'waiting_prod_a', password: 'secret' };
  const call = postgres.server.ensure('waiting_prod', login, cancel.signal);
  const reason = new Error('cancelled');
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%pg_advisory_lock%'`;
  while ((await postgres.query(waiting)).length === 0);
  cancel.abort(reason);
  await assert.rejects(call, (error) => error === reason);
  await holder.end();
});
