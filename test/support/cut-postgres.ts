import { createPostgresDumpTool } from '../../adapters/dump-tools/postgres-dump-tool.ts';
import type { DumpTool } from '../../domain/backups/ports.ts';
import type { DatabaseLogin } from '../../domain/databases/ports.ts';
import { type PostgresCutter, startPostgresCutter } from './postgres-cutter.ts';
import { startPostgres, type TestPostgres } from './start-postgres.ts';

const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };

export interface CutPostgres {
  readonly postgres: TestPostgres;
  readonly cutter: PostgresCutter;
  readonly tool: DumpTool;
  /** Its statements go by the cutter. */
  readonly cutTool: DumpTool;
  /** Has these values, and no others, in the database. */
  writeAll(values: readonly string[]): Promise<void>;
  /** What somebody reads there; the owner, where nobody is named. */
  valuesOf(login?: DatabaseLogin): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** A PostgreSQL server with the database of one service, and dump tools of which one is cut off where a test says so. */
export async function startCutPostgres(database: string, owner: DatabaseLogin): Promise<CutPostgres> {
  await using started = new AsyncDisposableStack();
  const postgres = started.adopt(await startPostgres(), (server) => server.stop());
  const cutter = started.adopt(await startPostgresCutter(postgres.adminUri), (one) => one.stop());
  await postgres.server.ensure(database, owner, AbortSignal.timeout(60_000));
  const parts = started.move();
  return {
    ...{ postgres, cutter },
    tool: createPostgresDumpTool({ adminUri: postgres.adminUri, env }),
    cutTool: createPostgresDumpTool({ adminUri: cutter.uri, env }),
    async writeAll(values) {
      const workload = await postgres.connect(database, owner);
      await workload.write('');
      await postgres.query('TRUNCATE notes', database);
      for (const value of values) await workload.write(value);
      await workload.close();
    },
    async valuesOf(login = owner) {
      const workload = await postgres.connect(database, login);
      const values = await workload.read();
      await workload.close();
      return values;
    },
    stop: () => parts.disposeAsync(),
  };
}
