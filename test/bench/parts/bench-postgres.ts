import { findProgram, loginOf, toolEnv } from '../../../adapters/dump-tools/postgres-connection.ts';
import { startBackedUpPostgres } from '../../support/backed-up/postgres.ts';
import { type BareTool, pipeFromStore, pipeToStore, timed } from './bare-tools.ts';
import type { BenchServer } from './bench-server.ts';
import { CONTENT_SUM, mixedContent } from './mixed-content.ts';

/** The embedded PostgreSQL, as benches use it. */
export async function startBenchPostgres(): Promise<BenchServer> {
  const server = await startBackedUpPostgres();
  const { query, adminUri } = server.postgres;
  const [version] = await query('SHOW server_version_num');
  const major = Math.floor(Number(version?.server_version_num) / 10_000);
  return {
    ...server,
    title: `PostgreSQL ${major}`,
    async fillMixed(database, megabytes) {
      await query(`SET ROLE "${database}"; ${mixedContent(megabytes)}`, database);
      await query('VACUUM ANALYZE', database);
    },
    sumOfMixed: async (database) => String((await query(CONTENT_SUM, database))[0]?.sum),
    async changeMixed(database) {
      await query('UPDATE orders SET note = NULL WHERE id % 3 = 0', database);
      await query('DELETE FROM pictures WHERE id % 2 = 0', database);
    },
    async bytesOf(database) {
      return Number((await query('SELECT pg_database_size(current_database()) AS bytes', database))[0]?.bytes);
    },
    async bareTools(store) {
      const [dump, restore] = [await findProgram('pg_dump', major), await findProgram('pg_restore', major)];
      const tool = (program: string, args: string, database: string): BareTool => {
        return { program, args, env: toolEnv(adminUri, database, loginOf(adminUri)) };
      };
      const into = '--exit-on-error --single-transaction --no-owner --dbname="$PGDATABASE"';
      return {
        backUp: (database, key) => pipeToStore(tool(dump, '--format=custom', database), store, key),
        async restore(_, key) {
          const ms = await timed(async () => {
            await query('CREATE DATABASE bare TEMPLATE template0');
            await pipeFromStore(tool(restore, into, 'bare'), store, key);
          });
          await query('DROP DATABASE bare');
          return ms;
        },
      };
    },
  };
}
