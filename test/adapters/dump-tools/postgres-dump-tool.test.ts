import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { createPostgresDumpTool } from '../../../adapters/dump-tools/postgres-dump-tool.ts';
import { countRows, holdTables } from '../../../adapters/dump-tools/postgres-figures.ts';
import { withClient } from '../../../adapters/postgres/with-client.ts';
import type { DumpTool } from '../../../domain/backups/ports.ts';
import { scratchName } from '../../../domain/backups/restore.ts';
import { databaseUsers } from '../../../domain/databases/database-name.ts';
import { collect, dumpProgramSuite, dumpToolSuite, stream } from '../../ports/dump-tool.ts';
import { startPostgres, type TestPostgres } from '../../support/start-postgres.ts';

const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };
const patience = () => AbortSignal.timeout(60_000);
const ids = {
  restore: 'rst_00000000000000000001',
  kept: 'rst_00000000000000000002',
  verify: 'bak_00000000000000000003',
};
const scratch = scratchName('restore', ids.restore);
const kept = scratchName('kept', ids.restore);

let postgres: TestPostgres;
let tool: DumpTool;
before(async () => {
  postgres = await startPostgres();
  tool = createPostgresDumpTool({ adminUri: postgres.adminUri, env });
});
after(() => postgres.stop());

const user = (database: string) => ({ user: databaseUsers(database)[0], password: `password of ${database}` });

let made = 0;
const underTest = () => ({
  tool,
  password: new URL(postgres.adminUri).password,
  fresh: (service: string) => {
    made += 1;
    return `${service}-${made}_prod`;
  },
  write: async (database: string, value: string) => {
    await postgres.server.ensure(database, user(database), patience());
    const workload = await postgres.connect(database, user(database));
    await workload.write(value);
    await workload.close();
  },
  read: async (database: string) => {
    const rows = await postgres.query('SELECT value FROM notes ORDER BY id', database);
    return rows.map(({ value }) => String(value));
  },
  clear: async (database: string) => void (await postgres.query('DELETE FROM notes', database)),
  remove: async (database: string) => void (await postgres.query(`DROP DATABASE "${database}"`)),
});
dumpToolSuite('PostgreSQL', underTest);
dumpProgramSuite('PostgreSQL', underTest);

describe('PostgreSQL is dumped and restored', { timeout: 240_000 }, () => {
  /** A database of a service, with rows that its user wrote. */
  async function service(database: string): Promise<void> {
    await postgres.server.ensure(database, user(database), patience());
    const workload = await postgres.connect(database, user(database));
    for (const value of ['one', 'two', "it's \\ three"]) await workload.write(value);
    await workload.close();
  }

  async function dump(database: string) {
    const { stored, figures } = await tool.dump(database, collect, { signal: patience() });
    return { archive: stored, figures };
  }

  async function valuesOf(database: string): Promise<readonly string[]> {
    const workload = await postgres.connect(database, user(database));
    const values = await workload.read();
    await workload.close();
    return values;
  }

  const rolesLeft = () => postgres.query("SELECT rolname FROM pg_roles WHERE rolname LIKE 'fairlead\\_%'");

  it('into a database that takes the place of the old one, which is kept; the service goes on with its own user', async () => {
    await service('shop_prod');
    const { archive, figures } = await dump('shop_prod');
    assert.deepEqual(figures, { 'public.notes': 3 });
    assert.equal(archive.subarray(0, 5).toString(), 'PGDMP');
    await postgres.query("DELETE FROM notes; INSERT INTO notes (value) VALUES ('after')", 'shop_prod');
    await tool.restoreInto({ from: 'shop_prod', scratch }, stream(archive), { signal: patience() });
    assert.deepEqual(await tool.figures(scratch, patience()), figures);
    const workload = await postgres.connect('shop_prod', user('shop_prod'));
    for (let again = 0; again < 2; again += 1)
      await tool.swap({ live: 'shop_prod', scratch, kept }, { signal: patience() });
    await assert.rejects(workload.read(), 'nobody stays connected to what is not live any more');
    assert.deepEqual(await valuesOf('shop_prod'), ['one', 'two', "it's \\ three"]);
    const next = await postgres.connect('shop_prod', user('shop_prod'));
    await next.write('goes on');
    await next.close();
    assert.deepEqual(await postgres.query('SELECT value FROM notes', kept).catch(() => []), []);
    await postgres.query(`ALTER DATABASE ${kept} ALLOW_CONNECTIONS true`);
    assert.deepEqual(await postgres.query('SELECT value FROM notes', kept), [{ value: 'after' }]);
    await tool.drop(kept);
    assert.deepEqual(await rolesLeft(), []);
  });

  it('not where a program is not there, which is told apart from a server that is not there', async () => {
    await service('toolless_prod');
    const { archive } = await dump('toolless_prod');
    const options = { adminUri: postgres.adminUri, env: { PATH: '' }, installed: '/nowhere' };
    const without = createPostgresDumpTool(options);
    const signal = patience();
    await assert.rejects(without.dump('toolless_prod', collect, { signal }), {
      code: 'DUMP_TOOL_MISSING',
      message: /^pg_dump is not installed where the worker runs/,
    });
    for (const restoring of [
      () => without.restoreInto({ from: 'toolless_prod', scratch }, stream(archive), { signal }),
      () => without.restoreInPlace('toolless_prod', stream(archive), { signal }),
    ]) {
      await assert.rejects(restoring(), { code: 'DUMP_TOOL_MISSING', message: /^pg_restore is not installed/ });
    }
    assert.deepEqual(await valuesOf('toolless_prod'), ['one', 'two', "it's \\ three"]);
    await without.drop(scratch);
    assert.deepEqual(await rolesLeft(), []);
    const away = createPostgresDumpTool({ ...options, adminUri: 'postgres://fairlead:secret@127.0.0.1:1/postgres' });
    await assert.rejects(away.dump('toolless_prod', collect, { signal }), { code: 'UNAVAILABLE', retryable: true });
  });

  for (const [what, forget] of [
    ['', async () => undefined],
    [
      ', with its roles',
      async (database: string) => {
        const text = `SELECT rolname FROM pg_roles WHERE starts_with(rolname, '${database}')`;
        for (const { rolname } of await postgres.query(text)) await postgres.query(`DROP ROLE "${rolname}"`);
      },
    ],
  ] as const) {
    it(`also where the database was lost${what}: it is its service’s again, and nobody else’s`, async () => {
      const database = `lost${what === '' ? '' : '-more'}_prod`;
      await service(database);
      const other = { user: `${database}_aaaaaaaaaa_a`, password: 'other' };
      await postgres.server.consumers?.admit(database, other, 'read', patience());
      const { archive, figures } = await dump(database);
      await postgres.query(`DROP DATABASE "${database}"`);
      await forget(database);
      const proof = scratchName('verify', ids.verify);
      await tool.restoreInto({ from: database, scratch: proof }, stream(archive), { signal: patience() });
      assert.deepEqual(await tool.figures(proof, patience()), figures);
      await tool.drop(proof);
      await tool.restoreInto({ from: database, scratch }, stream(archive), { signal: patience() });
      assert.deepEqual(await tool.figures(scratch, patience()), figures);
      await tool.swap({ live: database, scratch, kept }, { signal: patience() });
      if (what !== '') {
        await postgres.server.ensure(database, user(database), patience());
        await postgres.server.consumers?.admit(database, other, 'read', patience());
      }
      const workload = await postgres.connect(database, user(database));
      await workload.write('goes on');
      await workload.close();
      await postgres.server.ensure(database, user(database), patience());
      const reader = await postgres.connect(database, other);
      assert.deepEqual(await reader.read(), ['one', 'two', "it's \\ three", 'goes on']);
      await reader.close();
      const text = `SELECT datconnlimit AS most, pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = '${database}'`;
      assert.deepEqual(await postgres.query(text), [{ most: 50, owner: database }]);
      await service('stranger_prod');
      const may = `SELECT has_database_privilege('stranger_prod_a', '${database}', 'CONNECT') AS may`;
      assert.deepEqual(await postgres.query(may), [{ may: false }]);
      await tool.drop(kept);
      assert.deepEqual(await rolesLeft(), []);
    });
  }

  for (const purpose of ['restore', 'verify'] as const) {
    it(`and its service reaches nothing of that before (${purpose}), whatever its users are members of`, async () => {
      const database = `early-${purpose}_prod`;
      await service(database);
      const { archive } = await dump(database);
      const made = scratchName(purpose, purpose === 'verify' ? ids.verify : ids.restore);
      await tool.restoreInto({ from: database, scratch: made }, stream(archive), { signal: patience() });
      const text = `SELECT has_database_privilege('${database}_a', '${made}', 'CONNECT') AS may`;
      assert.deepEqual(await postgres.query(text), [{ may: false }]);
      await tool.drop(made);
      assert.deepEqual(await rolesLeft(), []);
    });
  }

  it('in place, as the owner of the database, and a restore that fails rolls back', async () => {
    await service('blog_prod');
    const { archive } = await dump('blog_prod');
    await postgres.query("INSERT INTO notes (value) VALUES ('after')", 'blog_prod');
    const cut = archive.subarray(0, archive.length - 40);
    await assert.rejects(tool.restoreInPlace('blog_prod', stream(cut), { signal: patience() }), {
      code: 'RESTORE_FAILED',
    });
    assert.equal((await valuesOf('blog_prod')).length, 4);
    await tool.restoreInPlace('blog_prod', stream(archive), { signal: patience() });
    assert.deepEqual(await valuesOf('blog_prod'), ['one', 'two', "it's \\ three"]);
    assert.deepEqual(await rolesLeft(), []);
  });

  for (const mode of ['swap', 'in place'] as const) {
    it(`and who else uses the database does so after a restore (${mode}), also of an archive from before`, async () => {
      const database = `used-${mode.replace(' ', '-')}_prod`;
      await service(database);
      const early = (await dump(database)).archive;
      const other = { user: `${database}_aaaaaaaaaa_a`, password: 'other' };
      await postgres.server.consumers?.admit(database, other, 'read', patience());
      const archives = [early, (await dump(database)).archive];
      for (const archive of archives) {
        const before = await postgres.connect(database, other);
        if (mode === 'swap') {
          await tool.restoreInto({ from: database, scratch }, stream(archive), { signal: patience() });
          await tool.swap({ live: database, scratch, kept }, { signal: patience() });
          await assert.rejects(before.read(), 'nobody stays connected to what is not live any more');
          await tool.drop(kept);
        } else {
          await before.close();
          await tool.restoreInPlace(database, stream(archive), { signal: patience() });
        }
        const workload = await postgres.connect(database, user(database));
        await workload.write('goes on');
        await workload.close();
        const reader = await postgres.connect(database, other);
        assert.deepEqual(await reader.read(), ['one', 'two', "it's \\ three", 'goes on']);
        await assert.rejects(reader.write('forged'));
        await reader.close();
      }
      assert.deepEqual(await rolesLeft(), []);
    });
  }

  it('and who is let into the database while the restored one is about to take its place uses that', async () => {
    await service('late_prod');
    const { archive } = await dump('late_prod');
    await tool.restoreInto({ from: 'late_prod', scratch }, stream(archive), { signal: patience() });
    const { Client } = await import('pg');
    const holder = new Client({ connectionString: postgres.adminUri });
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', ['fairlead late_prod']);
    const waiting = async (count: number) => {
      const text = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%pg_advisory_lock%'`;
      while ((await postgres.query(text)).length < count);
    };
    const other = { user: 'late_prod_aaaaaaaaaa_a', password: 'other' };
    const admitted = postgres.server.consumers?.admit('late_prod', other, 'read', patience());
    await waiting(1);
    const swapped = tool.swap({ live: 'late_prod', scratch, kept }, { signal: patience() });
    await waiting(2);
    await holder.end();
    await Promise.all([admitted, swapped]);
    const reader = await postgres.connect('late_prod', other);
    assert.deepEqual(await reader.read(), ['one', 'two', "it's \\ three"]);
    await reader.close();
    await tool.drop(kept);
  });

  it('although a service names the roles of the restore in its own database, in a transaction that does not end', async () => {
    await service('named_prod');
    await service('naming_prod');
    const { archive } = await dump('named_prod');
    const { Client } = await import('pg');
    const naming = new Client({
      host: '127.0.0.1',
      port: postgres.port,
      database: 'naming_prod',
      ...user('naming_prod'),
    });
    await naming.connect();
    const name = async (like: string) => {
      const found = `SELECT rolname FROM pg_roles WHERE rolname LIKE '${like}'`;
      let role: unknown;
      while (role === undefined) role = (await postgres.query(found))[0]?.rolname;
      await naming.query('BEGIN');
      await naming.query(`GRANT SELECT ON notes TO "${String(role)}"`);
    };
    const named = async function* () {
      await name(scratch);
      yield* stream(archive);
    };
    await tool.restoreInto({ from: 'named_prod', scratch }, named(), { signal: patience() });
    await naming.query('COMMIT');
    await tool.drop(scratch);
    await naming.end();
    assert.deepEqual(await rolesLeft(), []);
    for (const database of ['naming_prod', 'named_prod']) await postgres.server.drop(database, patience());
    assert.deepEqual(await postgres.query("SELECT FROM pg_roles WHERE rolname LIKE 'fairlead-left-%'"), []);
  });

  it('with the counts of the moment of the dump, whatever is written meanwhile', async () => {
    await service('busy_prod');
    const { stored, figures } = await tool.dump(
      'busy_prod',
      async (archive) => {
        await postgres.query("INSERT INTO notes (value) SELECT 'x' FROM generate_series(1, 500)", 'busy_prod');
        return await collect(archive);
      },
      { signal: patience() },
    );
    assert.deepEqual(figures, { 'public.notes': 3 });
    const verify = scratchName('verify', ids.verify);
    await tool.restoreInto({ from: 'busy_prod', scratch: verify }, stream(stored), { signal: patience() });
    assert.deepEqual(await tool.figures(verify, patience()), figures);
    await tool.drop(verify);
    await tool.drop(verify);
    assert.deepEqual(await postgres.query(`SELECT FROM pg_database WHERE datname = '${verify}'`), []);
  });

  it('an archive whose code reaches for power has none, in any way of restoring it', async () => {
    await service('evil_prod');
    await service('victim_prod');
    // Runs while the archive is restored: the index calls the function for each row.
    const attack = `
      CREATE FUNCTION act() RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        RESET ROLE;
        BEGIN EXECUTE 'ALTER ROLE evil_prod_a SUPERUSER'; EXCEPTION WHEN OTHERS THEN NULL; END;
        BEGIN EXECUTE 'SET ROLE victim_prod'; EXCEPTION WHEN OTHERS THEN NULL; END;
        BEGIN EXECUTE 'SET ROLE fairlead'; EXCEPTION WHEN OTHERS THEN NULL; END;
        BEGIN EXECUTE 'CREATE ROLE stolen SUPERUSER LOGIN'; EXCEPTION WHEN OTHERS THEN NULL; END;
        BEGIN EXECUTE 'GRANT CONNECT ON DATABASE victim_prod TO evil_prod_a'; EXCEPTION WHEN OTHERS THEN NULL; END;
        BEGIN EXECUTE 'ALTER DATABASE victim_prod RENAME TO mine'; EXCEPTION WHEN OTHERS THEN NULL; END;
        BEGIN EXECUTE 'COPY (SELECT 1) TO PROGRAM ''true''' ; EXCEPTION WHEN OTHERS THEN NULL; END;
        INSERT INTO public.witness VALUES (session_user || ' ' || current_setting('is_superuser'));
      EXCEPTION WHEN OTHERS THEN NULL;
      END $$;
      CREATE FUNCTION attack(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
      BEGIN
        PERFORM public.act();
        RETURN $1;
      END $$;
      CREATE TABLE witness (who text);
      CREATE INDEX ON notes (attack(value));`;
    // As the user of the service, who writes it for the administrator to run.
    await postgres.query(`SET ROLE evil_prod; ${attack}`, 'evil_prod');
    await postgres.query('TRUNCATE witness', 'evil_prod');
    const { archive } = await dump('evil_prod');
    const state = () =>
      postgres.query(`SELECT rolname, rolsuper, rolcreaterole, (SELECT array_agg(datname || datacl::text ORDER BY datname)
        FROM pg_database WHERE datname !~ '^fairlead_') AS databases FROM pg_roles ORDER BY 1`);
    const before = await state();
    await tool
      .restoreInto({ from: 'evil_prod', scratch }, stream(archive), { signal: patience() })
      .catch(() => undefined);
    await tool.drop(scratch);
    await tool.restoreInPlace('evil_prod', stream(archive), { signal: patience() }).catch(() => undefined);
    assert.deepEqual(await state(), before);
    assert.deepEqual(await valuesOf('victim_prod'), ['one', 'two', "it's \\ three"]);
    for (const { who } of await postgres.query('SELECT who FROM witness', 'evil_prod'))
      assert.match(String(who), / off$/);
    // The same code in the hands of the administrator takes all: who restores makes the difference.
    await postgres.query("SELECT attack('x')", 'evil_prod');
    assert.equal((await postgres.query("SELECT FROM pg_roles WHERE rolname = 'stolen' AND rolsuper")).length, 1);
    await postgres.query('DROP ROLE stolen');
  });

  it('the administrator reads tables that stay, and nothing that runs code', async () => {
    await service('swapped_prod');
    await postgres.query('CREATE VIEW trap AS SELECT 1', 'swapped_prod');
    const uri = new URL(postgres.adminUri);
    uri.pathname = '/swapped_prod';
    await withClient(uri.href, patience(), async (client) => {
      await client.query('BEGIN');
      const tables = await holdTables(client);
      const dropped = postgres.query("SET lock_timeout = '300ms'; DROP TABLE notes", 'swapped_prod');
      await assert.rejects(dropped, { code: '55P03' });
      assert.deepEqual(await countRows(client, tables), { 'public.notes': 3 });
      await assert.rejects(client.query('SELECT count(*) FROM public.trap'), /non-system view/);
    });
  });

  it('without the privileges of roles that the new database does not know', async () => {
    await service('shared_prod');
    await postgres.query(
      `ALTER DEFAULT PRIVILEGES FOR ROLE shared_prod GRANT SELECT ON TABLES TO PUBLIC;
       GRANT SELECT ON notes TO PUBLIC; CREATE PUBLICATION everything FOR ALL TABLES`,
      'shared_prod',
    );
    const { archive, figures } = await dump('shared_prod');
    await tool.restoreInto({ from: 'shared_prod', scratch }, stream(archive), { signal: patience() });
    assert.deepEqual(await tool.figures(scratch, patience()), figures);
    await tool.drop(scratch);
  });

  it('with what the database sets for its connections, also for those of one role', async () => {
    await service('set_prod');
    const [role] = databaseUsers('set_prod');
    await postgres.query(
      `CREATE SCHEMA app AUTHORIZATION set_prod;
       ALTER DATABASE set_prod SET search_path TO app, "$user", public;
       ALTER DATABASE set_prod SET timezone TO 'Europe/Vienna';
       ALTER DATABASE set_prod SET app.words TO 'it''s; DROP "x"';
       ALTER DATABASE set_prod SET statement_timeout TO '7s';
       ALTER ROLE "${role}" IN DATABASE set_prod SET work_mem TO '5MB'`,
      'set_prod',
    );
    const names = ['search_path', 'TimeZone', 'app.words', 'statement_timeout', 'work_mem'];
    const settings = async () => {
      const login = user('set_prod');
      const client = new Client({ host: '127.0.0.1', port: postgres.port, database: 'set_prod', ...login });
      await client.connect();
      const text = 'SELECT current_setting(name) AS value FROM unnest($1::text[]) AS name';
      const { rows } = await client.query<{ value: string }>(text, [names]);
      await client.end();
      return rows.map(({ value }) => value);
    };
    const before = await settings();
    assert.deepEqual(before, ['app, "$user", public', 'Europe/Vienna', `it's; DROP "x"`, '7s', '5MB']);
    const { archive } = await dump('set_prod');
    await tool.restoreInto({ from: 'set_prod', scratch }, stream(archive), { signal: patience() });
    await tool.swap({ live: 'set_prod', scratch, kept }, { signal: patience() });
    assert.deepEqual(await settings(), before);
    await tool.drop(kept);
  });

  it('a dump waits for nobody who keeps a table to himself, and blocks nobody for long who is about to', async () => {
    await service('kept_prod');
    await postgres.query('CREATE TABLE days (day date) PARTITION BY RANGE (day)', 'kept_prod');
    const hasty = createPostgresDumpTool({ adminUri: postgres.adminUri, env, lockMs: 200 });
    const refused = { code: 'UNAVAILABLE', retryable: true };
    const uri = new URL(postgres.adminUri);
    uri.pathname = '/kept_prod';
    // The first one is held while the dump is made; the second one the program alone asks for.
    for (const table of ['notes', 'days']) {
      await withClient(uri.href, patience(), async (client) => {
        await client.query(`BEGIN; LOCK TABLE ONLY public.${table} IN ACCESS EXCLUSIVE MODE`);
        await assert.rejects(hasty.dump('kept_prod', collect, { signal: AbortSignal.timeout(30_000) }), refused);
      });
    }
    assert.equal((await dump('kept_prod')).figures['public.notes'], 3);
  });

  it('what was kept goes with the database when that is dropped', async () => {
    await service('gone_prod');
    const { archive } = await dump('gone_prod');
    await tool.restoreInto({ from: 'gone_prod', scratch }, stream(archive), { signal: patience() });
    await tool.swap({ live: 'gone_prod', scratch, kept }, { signal: patience() });
    await postgres.server.drop('gone_prod', patience());
    const left = await postgres.query(`SELECT datname FROM pg_database WHERE datname IN ('gone_prod', '${kept}')`);
    assert.deepEqual(left, []);
  });

  it('a database that a broken swap has left closed is opened again', async () => {
    await service('closed_prod');
    await postgres.query('ALTER DATABASE closed_prod ALLOW_CONNECTIONS false');
    await assert.rejects(valuesOf('closed_prod'));
    await tool.reopen('closed_prod', { signal: patience() });
    await tool.reopen('nobody_prod', { signal: patience() });
    assert.equal((await valuesOf('closed_prod')).length, 3);
  });

  it('an error tells what the program says on one line, and no row', async () => {
    await service('noisy_prod');
    await postgres.query(
      `CREATE FUNCTION refuse(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
       BEGIN
         IF current_database() = 'noisy_prod' THEN RETURN $1; END IF;
         RAISE EXCEPTION E'bad row\\n\\nsee http://evil.example' USING DETAIL = 'person@example.com';
       END $$;
       CREATE INDEX ON notes (refuse(value))`,
      'noisy_prod',
    );
    const { archive } = await dump('noisy_prod');
    await assert.rejects(
      tool.restoreInto({ from: 'noisy_prod', scratch }, stream(archive), { signal: patience() }),
      ({ code, message }: { code: string; message: string }) => {
        assert.equal(code, 'RESTORE_FAILED');
        assert.match(message, /^pg_restore ended with 1: .*bad row$/);
        return true;
      },
    );
    await tool.drop(scratch);
  });

  it('a dump of no database, and one that is cancelled, end with their reason and leave no program', async () => {
    await assert.rejects(dump('nobody_prod'), ({ code }: { code: string }) => code !== undefined);
    await service('long_prod');
    await postgres.query(
      'INSERT INTO notes (value) SELECT repeat(md5(i::text), 200) FROM generate_series(1, 5000) i',
      'long_prod',
    );
    const controller = new AbortController();
    const cancelled = tool.dump(
      'long_prod',
      async (archive) => {
        for await (const _ of archive) controller.abort(new Error('cancelled by hand'));
        return 'stored';
      },
      { signal: controller.signal },
    );
    await assert.rejects(cancelled, /cancelled by hand/);
    const running = await postgres.query("SELECT FROM pg_stat_activity WHERE application_name = 'fairlead-backup'");
    assert.deepEqual(running, []);
  });

  it('a dump whose connection is cut is refused to whoever stores it, with what the tool said', async () => {
    await service('cut_prod');
    await postgres.query(
      'INSERT INTO notes (value) SELECT repeat(md5(i::text), 500) FROM generate_series(1, 20000) i',
      'cut_prod',
    );
    let isCut = false;
    let isStored = false;
    const dumping = tool.dump(
      'cut_prod',
      async (archive) => {
        for await (const _ of archive) {
          if (isCut) continue;
          isCut = true;
          await postgres.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'fairlead-backup'",
          );
        }
        isStored = true;
      },
      { signal: patience() },
    );
    await assert.rejects(dumping, { code: 'DUMP_FAILED', message: /^pg_dump ended with 1: .*(terminat|closed)/ });
    assert.equal(isStored, false);
  });
});
