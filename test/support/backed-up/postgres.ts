import { Client } from 'pg';
import { createPostgresDumpTool } from '../../../adapters/dump-tools/postgres-dump-tool.ts';
import { databaseName, databaseUsers } from '../../../domain/databases/database-name.ts';
import { startPostgres, type TestPostgres } from '../start-postgres.ts';
import { waitUntil } from '../wait-until.ts';
import type { BackedUpServer } from './server.ts';

const SUM = "SELECT md5(string_agg(id || ':' || md5(picture), ',' ORDER BY id)) AS sum FROM things";
const TOOLS = "FROM pg_stat_activity WHERE application_name = 'fairlead-backup'";
const CUT = `SELECT pg_terminate_backend(pid) ${TOOLS}`;
const WAITING = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%pg_advisory_lock%'";
/** Beside a kept database its role says that it was swapped, and goes with it. */
const LEFT = `SELECT datname AS name FROM pg_database WHERE datname LIKE 'fairlead!_%' ESCAPE '!'
  UNION ALL SELECT 'the role ' || rolname FROM pg_roles WHERE rolname LIKE 'fairlead!_%' ESCAPE '!'
    AND NOT EXISTS (SELECT FROM pg_database WHERE datname = rolname AND datname LIKE 'fairlead!_kept!_%' ESCAPE '!')
  UNION ALL SELECT 'a tool at work' ${TOOLS} ORDER BY 1`;
const SLOW = { withinMs: 90_000, everyMs: 100 };

/** The embedded PostgreSQL, whose databases are backed up. */
export async function startBackedUpPostgres(): Promise<BackedUpServer & { readonly postgres: TestPostgres }> {
  const postgres = await startPostgres();
  const { adminUri, query } = postgres;
  return {
    postgres,
    engine: 'postgres',
    title: 'PostgreSQL',
    variables: { DB_POSTGRES_ADMIN_URI: adminUri },
    dumpTool: createPostgresDumpTool({ adminUri, env: { PATH: process.env.PATH ?? '' } }),
    rollsBack: true,
    async create(service) {
      const database = databaseName({ service, environment: 'prod' });
      const login = { user: databaseUsers(database)[0], password: 'of the service' };
      await postgres.server.ensure(database, login, AbortSignal.timeout(60_000));
      return { service, databaseName: database };
    },
    async fill(database, mebibytes) {
      await query(
        `SET ROLE "${database}"; CREATE EXTENSION IF NOT EXISTS pgcrypto;
         CREATE TABLE things (id serial PRIMARY KEY, picture bytea NOT NULL);
         INSERT INTO things (picture) SELECT gen_random_bytes(1024) FROM generate_series(1, ${mebibytes * 1024})`,
        database,
      );
    },
    sumOf: async (database) => String((await query(SUM, database))[0]?.sum),
    async change(database) {
      await query('UPDATE things SET picture = picture || picture WHERE id < 10', database);
    },
    toolCut: {
      arm: () => undefined,
      cut: async () => void (await waitUntil('the tool is cut', async () => (await query(CUT)).length > 0)),
      disarm: () => undefined,
    },
    async holdSwap(database) {
      const client = new Client({ connectionString: adminUri });
      await client.connect();
      // Under which a swap renames.
      await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`fairlead ${database}`]);
      return {
        came: () => waitUntil('the swap waits', async () => (await query(WAITING)).length > 0, SLOW),
        letGo: () => client.end(),
      };
    },
    left: async () => (await query(LEFT)).map(({ name }) => String(name)),
    stop: postgres.stop,
  };
}
