import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { createPostgresServer } from '../../../adapters/postgres/database-server.ts';
import type { DatabaseAccessKind } from '../../../domain/catalog/catalog.ts';
import type { DatabaseLogin } from '../../../domain/databases/ports.ts';
import { isPlayed } from '../../support/is-played.ts';
import { startPostgres, type TestPostgres } from '../../support/start-postgres.ts';
import { type PostgresCutter, startPostgresCutter } from './postgres-cutter.ts';

const patience = () => AbortSignal.timeout(60_000);
/** Privileges are not enough. */
const REFUSED = { code: '42501' };

let postgres: TestPostgres;
let version: number;
before(async () => {
  postgres = await startPostgres();
  const [row] = await postgres.query('SHOW server_version_num');
  version = Math.floor(Number(row?.server_version_num) / 10_000);
});
after(() => postgres.stop());

let made = 0;

/** A database with a table, its owner's login, and one of a service beside it. */
async function shared(access: DatabaseAccessKind = 'read') {
  made += 1;
  const database = `shop-${made}_prod`;
  const owner = { user: `${database}_a`, password: 'of the owner' };
  const other = { user: `${database}_aaaaaaaaaa_a`, password: 'of another service' };
  await postgres.server.ensure(database, owner, patience());
  const workload = await postgres.connect(database, owner);
  await workload.write('private');
  await workload.close();
  await admit(database, other, access);
  return { database, owner, other };
}

const admit = async (database: string, login: DatabaseLogin, access: DatabaseAccessKind = 'read') =>
  await postgres.server.consumers?.admit(database, login, access, patience());
const dismiss = async (database: string, ...users: readonly string[]) =>
  await postgres.server.consumers?.dismiss(database, users, patience());

/** Runs statements one after the other on a connection of a workload, which closes then. */
async function as(database: string, login: DatabaseLogin, ...texts: readonly string[]) {
  const client = new Client({ host: '127.0.0.1', port: postgres.port, database, ...login });
  client.on('error', () => undefined);
  await client.connect();
  try {
    let rows: readonly Record<string, unknown>[] = [];
    for (const text of texts) rows = (await client.query(text)).rows;
    return rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

const rolesOf = async (database: string) =>
  (await postgres.query(`SELECT rolname FROM pg_roles WHERE rolname LIKE '${database}%' ORDER BY 1`)).map(
    ({ rolname }) => String(rolname),
  );

describe('a service that names the users of others in its own database', () => {
  /** Every way in which the owner of a database may name a role that is not its own. */
  const NAMING: Readonly<Record<string, (role: string, attacker: string) => readonly string[]>> = {
    'by a grant on a table': (role) => [`GRANT SELECT ON notes TO "${role}"`],
    'by a grant on its database': (role, attacker) => [`GRANT CONNECT ON DATABASE "${attacker}" TO "${role}"`],
    'by what it grants later': (role) => [`ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO "${role}"`],
    'by a policy': (role) => [`CREATE POLICY "trap of ${role}" ON notes TO "${role}" USING (true)`],
    'by a grant of one who may grant on': (role, attacker) => [
      `GRANT SELECT ON notes TO "${attacker}_aaaaaaaaaa_a" WITH GRANT OPTION`,
      `AS OTHER GRANT SELECT ON notes TO "${role}"`,
    ],
    'in a database that nobody may connect to': (role, attacker) => [
      `GRANT SELECT ON notes TO "${role}"`,
      `ALTER DATABASE "${attacker}" ALLOW_CONNECTIONS false`,
    ],
  };

  for (const [how, statements] of Object.entries(NAMING)) {
    it(`${how} keeps none of them: neither a login that ends nor a database that is dropped`, async () => {
      const [victim, attacker] = [await shared(), await shared()];
      const roles = [victim.owner.user, victim.database, victim.other.user, `${victim.database}_read`];
      const texts = roles.flatMap((role) => statements(role, attacker.database));
      for (const text of texts.toSorted(
        (a, b) => Number(a.startsWith('ALTER DATABASE')) - Number(b.startsWith('ALTER DATABASE')),
      )) {
        if (text.startsWith('AS OTHER ')) await as(attacker.database, attacker.other, text.slice('AS OTHER '.length));
        else if (text.startsWith('ALTER DATABASE')) await postgres.query(text);
        else await as(attacker.database, attacker.owner, text);
      }
      await assert.rejects(postgres.query(`DROP ROLE "${victim.other.user}"`), { code: '2BP01' });
      await dismiss(victim.database, victim.other.user);
      await assert.rejects(as(victim.database, victim.other), 'it is refused');
      assert.ok(!(await rolesOf(victim.database)).includes(victim.other.user));
      await postgres.server.drop(victim.database, patience());
      assert.deepEqual(await rolesOf(victim.database), []);
      await postgres.server.drop(victim.database, patience());

      // Its name is free, and what takes it has nothing of what was granted to the one before.
      await postgres.server.ensure(victim.database, victim.owner, patience());
      await admit(victim.database, victim.other);
      const may = `SELECT has_table_privilege('${victim.other.user}', 'notes', 'SELECT') AS may`;
      await postgres.query(`ALTER DATABASE "${attacker.database}" ALLOW_CONNECTIONS true`);
      assert.deepEqual(await postgres.query(may, attacker.database), [{ may: false }]);
      const rows = await as(attacker.database, attacker.owner, 'SELECT value FROM notes');
      assert.deepEqual(rows, [{ value: 'private' }], 'the data of the one that named them is untouched');

      // What could not be dropped has no power, and goes with the database that names it.
      await postgres.server.drop(victim.database, patience());
      const left = "SELECT rolcanlogin FROM pg_roles WHERE rolname LIKE 'fairlead-left-%'";
      for (const role of await postgres.query(left)) assert.deepEqual(role, { rolcanlogin: false });
      await postgres.server.drop(attacker.database, patience());
      assert.deepEqual(await postgres.query(left), []);
    });
  }

  it('in a transaction that does not end holds nobody up, and what a user made in its database stays', async () => {
    const { database, owner, other } = await shared();
    await as(database, owner, `GRANT CREATE ON SCHEMA public TO "${other.user}"`, 'CREATE TABLE locked ()');
    await as(database, other, 'CREATE TABLE theirs AS SELECT 1 AS one', 'GRANT SELECT ON theirs TO PUBLIC');
    const holder = new Client({ host: '127.0.0.1', port: postgres.port, database, ...owner });
    holder.on('error', () => undefined);
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE locked');
    await holder.query(`GRANT SELECT ON locked TO "${other.user}"`);
    await dismiss(database, other.user);
    assert.ok(!(await rolesOf(database)).includes(other.user));
    await holder.end();
    assert.deepEqual(await as(database, owner, 'SELECT one FROM theirs'), [{ one: 1 }]);
    await postgres.server.drop(database, patience());
    assert.deepEqual(await postgres.query("SELECT FROM pg_roles WHERE rolname LIKE 'fairlead-left-%'"), []);
  });
});

describe('a login that makes another one a member of itself', () => {
  /** What version 14 lets a login do, and 15 and later do not: a membership that the login itself has granted. */
  async function makeMember(database: string, login: DatabaseLogin, member: string): Promise<void> {
    const grant = `GRANT "${login.user}" TO "${member}"`;
    if (version >= 15) await assert.rejects(as(database, login, 'SET ROLE NONE', grant), REFUSED);
    else await as(database, login, 'SET ROLE NONE', grant);
    if (version >= 15) await postgres.query(grant);
  }

  /** A connection that is open when its right to be there is taken. */
  async function opened(database: string, login: DatabaseLogin): Promise<Client> {
    const client = new Client({ host: '127.0.0.1', port: postgres.port, database, ...login });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  for (const whose of ['owner', 'other'] as const) {
    it(`keeps nothing once the login ${whose === 'owner' ? 'of the owner' : 'beside it'} is withdrawn or made sure of`, async () => {
      const [victim, thief] = [await shared(), await shared()];
      const { user } = victim[whose];
      await makeMember(victim.database, victim[whose], thief.owner.user);
      const open = await opened(victim.database, thief.owner);
      await open.query('SET ROLE NONE');
      assert.deepEqual((await open.query('SELECT value FROM notes')).rows, [{ value: 'private' }], 'it gets in');
      await postgres.server.withdraw(victim.database, user, patience());
      await assert.rejects(open.query('SELECT 1'), 'its connection is ended');
      await open.end().catch(() => undefined);
      await assert.rejects(as(victim.database, thief.owner));
      await postgres.query(`GRANT "${user}" TO "${thief.owner.user}"`);
      if (whose === 'owner') await postgres.server.ensure(victim.database, victim.owner, patience());
      else await admit(victim.database, victim.other);
      await assert.rejects(as(victim.database, thief.owner));
      assert.deepEqual(await as(victim.database, victim[whose], 'SELECT value FROM notes'), [{ value: 'private' }]);
    });
  }

  it('is taken away with all that it made, also with what it was made a member of', async () => {
    const [victim, thief] = [await shared(), await shared()];
    await makeMember(victim.database, victim.other, thief.owner.user);
    await makeMember(thief.database, thief.other, victim.other.user);
    const open = await opened(victim.database, thief.owner);
    await dismiss(victim.database, victim.other.user);
    await assert.rejects(open.query('SELECT 1'));
    await open.end().catch(() => undefined);
    await assert.rejects(as(victim.database, thief.owner));
    await admit(victim.database, victim.other);
    await assert.rejects(as(thief.database, victim.other));
    await assert.rejects(as(victim.database, victim.other, `SET ROLE "${thief.other.user}"`), REFUSED);
  });
});

describe('a login that reads', () => {
  const WRITES = [
    'SELECT lo_create(0)',
    'SELECT lo_creat(-1)',
    "SELECT lo_from_bytea(0, 'kept here')",
    'CREATE TEMPORARY TABLE kept ()',
    'CREATE TABLE kept ()',
    'CREATE SCHEMA kept',
    "INSERT INTO notes (value) VALUES ('forged')",
    "SELECT setval('notes_id_seq', 9)",
    'SELECT value FROM notes FOR UPDATE',
    'BEGIN; LOCK TABLE notes IN EXCLUSIVE MODE',
    "COPY notes TO PROGRAM 'id'",
  ];
  for (const text of WRITES) {
    it(`is refused: ${text}`, async () => {
      const { database, other } = await shared();
      await assert.rejects(as(database, other, text), REFUSED);
    });
  }

  it('and one that writes make no large objects; the owner makes them, and gives others what it likes', async () => {
    const { database, owner, other } = await shared('write');
    await assert.rejects(as(database, other, 'SELECT lo_create(0)'), REFUSED);
    const [row] = await as(database, owner, "SELECT lo_from_bytea(0, 'a picture') AS id");
    const id = Number(row?.id);
    await assert.rejects(as(database, other, `SELECT lo_get(${id})`), REFUSED);
    await as(database, owner, `GRANT SELECT ON LARGE OBJECT ${id} TO "${database}_write"`);
    const [read] = await as(database, other, `SELECT convert_from(lo_get(${id}), 'UTF8') AS text`);
    assert.deepEqual(read, { text: 'a picture' });
  });

  it('shares twenty connections with those of all other services, so that the owner keeps most', async () => {
    const { database, other } = await shared();
    const limits = async () =>
      (
        await postgres.query(
          `SELECT rolconnlimit FROM pg_roles WHERE rolcanlogin AND rolname LIKE '${database}\\___________\\__' ORDER BY 1`,
        )
      ).map(({ rolconnlimit }) => Number(rolconnlimit));
    assert.deepEqual(await limits(), [10]);
    // Its next login, while it is given that.
    await admit(database, { user: `${database}_aaaaaaaaaa_b`, password: 'next' });
    assert.deepEqual(await limits(), [10, 10]);
    for (const key of ['bbbbbbbbbb', 'cccccccccc', 'dddddddddd']) {
      await admit(database, { user: `${database}_${key}_a`, password: key });
    }
    assert.deepEqual(await limits(), [5, 5, 5, 5, 5]);
    await dismiss(database, `${database}_bbbbbbbbbb_a`, `${database}_cccccccccc_a`);
    assert.deepEqual(await limits(), [10, 10, 10]);
    await as(database, other);
  });
});

describe('a login that is admitted and one that is dismissed', () => {
  it('exclude each other: what is dismissed while it is admitted is gone, and what is no longer meant is not done', async () => {
    const { database, other } = await shared();
    const consumers = postgres.server.consumers;
    let dismissing: Promise<void> | undefined;
    const asked: string[] = [];
    await consumers?.admit(database, other, 'read', patience(), async () => {
      asked.push('admit');
      dismissing = consumers.dismiss(database, [other.user], patience(), async () => {
        asked.push('dismiss');
        return true;
      });
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%pg_advisory_lock%'`;
      while ((await postgres.query(waiting)).length === 0);
      assert.deepEqual(asked, ['admit'], 'nobody is dismissed meanwhile');
      return true;
    });
    await dismissing;
    assert.deepEqual(asked, ['admit', 'dismiss']);
    await assert.rejects(as(database, other));
    await consumers?.admit(database, other, 'read', patience(), async () => false);
    await assert.rejects(as(database, other));
    await admit(database, other);
    await consumers?.dismiss(database, [other.user], patience(), async () => false);
    await as(database, other);
  });

  for (const when of ['before', 'after'] as const) {
    it(`killed ${when} any statement: the next call ends what it began`, { timeout: 240_000 }, async () => {
      const cutter: PostgresCutter = await startPostgresCutter(postgres.port);
      const uri = new URL(postgres.adminUri);
      uri.port = String(cutter.port);
      const { consumers } = createPostgresServer({ adminUri: uri.href });
      const isRetryable = (error: unknown) =>
        assert.equal((error as { retryable?: boolean }).retryable, true, String(error));
      const { database, owner, other } = await shared();
      let statement = 0;
      for (let isCut = true; isCut; ) {
        statement += 1;
        assert.ok(statement < 60, 'each statement was cut once');
        if (!isPlayed(statement)) continue;
        await dismiss(database, other.user);
        cutter.cutAt(statement, when);
        await consumers?.admit(database, other, 'read', patience()).catch(isRetryable);
        isCut = cutter.wasCut();
        await admit(database, other);
        assert.deepEqual(await as(database, other, 'SELECT value FROM notes'), [{ value: 'private' }]);
        // So that there is something to take away before it is dropped.
        await as(database, owner, `GRANT SELECT ON notes TO "${other.user}"`);
        cutter.cutAt(statement, when);
        await consumers?.dismiss(database, [other.user], patience()).catch(isRetryable);
        isCut ||= cutter.wasCut();
        await dismiss(database, other.user);
        await assert.rejects(as(database, other));
        assert.ok(!(await rolesOf(database)).includes(other.user));
      }
      await cutter.stop();
      assert.ok(statement > 15, `${statement} statements`);
    });
  }
});
