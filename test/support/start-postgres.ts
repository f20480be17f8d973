import { Client } from 'pg';
import { createPostgresServer } from '../../adapters/postgres/database-server.ts';
import type { DatabaseLogin } from '../../domain/databases/ports.ts';
import { PART_ROWS } from '../../infra/dev/parts.ts';
import { partVariables } from '../../infra/dev/stack-parts.ts';
import { runPart } from '../infra/parts/run-part.ts';
import type { DatabaseServerUnderTest, WorkloadConnection } from '../ports/database-server.ts';

export interface TestPostgres extends DatabaseServerUnderTest {
  readonly adminUri: string;
  readonly port: number;
  /** Runs a statement as the administrator, in a database of the server. */
  query(text: string, database?: string): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** The embedded PostgreSQL in a folder of its own, which is removed when it stops: so it need not wait for the disk. */
export async function startPostgres(): Promise<TestPostgres> {
  const part = await runPart('postgres');
  const rows = PART_ROWS.filter(({ name }) => name === 'postgres');
  const { worker } = await partVariables(rows, { ...part.context, env: {} });
  const adminUri = worker.DB_POSTGRES_ADMIN_URI ?? '';
  const port = Number(new URL(adminUri).port);
  const query: TestPostgres['query'] = async (text, database = 'postgres') => {
    const uri = new URL(adminUri);
    uri.pathname = `/${database}`;
    const client = new Client({ connectionString: uri.href });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  await query('ALTER SYSTEM SET fsync = off');
  await query('SELECT pg_reload_conf()');
  return {
    adminUri,
    port,
    query,
    server: createPostgresServer({ adminUri }),
    ownDatabases: ['postgres', 'template1'],
    connect: (database, login) => connectWorkload({ port, database, login }),
    stop: part.stop,
  };
}

async function connectWorkload(to: {
  readonly port: number;
  readonly database: string;
  readonly login: DatabaseLogin;
}): Promise<WorkloadConnection> {
  const client = new Client({ host: '127.0.0.1', port: to.port, database: to.database, ...to.login });
  // Ended by the server: what is asked next fails.
  client.on('error', () => undefined);
  await client.connect();
  return {
    write: async (value) => {
      const { rows } = await client.query<{ name: string | null }>("SELECT to_regclass('notes') AS name");
      if (rows[0]?.name == null) await client.query('CREATE TABLE notes (id serial PRIMARY KEY, value text)');
      await client.query('INSERT INTO notes (value) VALUES ($1)', [value]);
    },
    read: async () => {
      const { rows: found } = await client.query<{ name: string | null }>("SELECT to_regclass('notes') AS name");
      if (found[0]?.name == null) return [];
      const { rows } = await client.query<{ value: string }>('SELECT value FROM notes ORDER BY id');
      return rows.map(({ value }) => value);
    },
    close: async () => void (await client.end().catch(() => undefined)),
  };
}
