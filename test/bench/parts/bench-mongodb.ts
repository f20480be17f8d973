import { join } from 'node:path';
import { namespacesOf } from '../../../adapters/dump-tools/mongo-tools.ts';
import { addressForTools } from '../../../adapters/mongodb-server/address.ts';
import { startBackedUpMongodb } from '../../support/backed-up/mongodb.ts';
import { type BareTool, pipeFromStore, pipeToStore, timed } from './bare-tools.ts';
import type { BenchServer } from './bench-server.ts';
import { changeDocuments, fillDocuments, readDocuments } from './mixed-documents.ts';

/** The address is no argument: bash writes it into a pipe that the tool reads. */
const CONFIG = '--config=<(printf "uri: \\"%s\\"\\n" "$ADDRESS")';

/** It keeps what changed in memory, and of a gigabyte that is more than its usual heap holds. Java reads `_JAVA_OPTIONS`. */
const HEAP_OF_STAND_IN = '-Xmx4g';

/** The MongoDB that FAIRLEAD_TEST_MONGODB_URI names, else a stand-in, as benches use it. */
export async function startBenchMongodb(): Promise<BenchServer> {
  process.env._JAVA_OPTIONS ??= HEAP_OF_STAND_IN;
  const server = await startBackedUpMongodb();
  const { client, adminUri, toolsDir } = server.mongo;
  return {
    ...server,
    // Without the cutter on the way.
    variables: { ...server.variables, DB_MONGODB_ADMIN_URI: adminUri },
    fillMixed: (database, megabytes) => fillDocuments(client.db(database), megabytes),
    sumOfMixed: async (database) => (await readDocuments(client.db(database))).sum,
    changeMixed: (database) => changeDocuments(client.db(database)),
    bytesOf: async (database) => (await readDocuments(client.db(database))).bytes,
    async bareTools(store) {
      const tool = (name: string, args: string, database: string): BareTool => {
        const env = { ADDRESS: addressForTools(adminUri), FROM: database, NAMES: namespacesOf(database) };
        return { program: join(toolsDir, name), args: `${CONFIG} --quiet --archive --gzip ${args}`, env };
      };
      const into = '--stopOnError --nsInclude="$NAMES" --nsFrom="$NAMES" --nsTo="bare.*"';
      return {
        backUp: (database, key) => pipeToStore(tool('mongodump', '--db="$FROM"', database), store, key),
        async restore(from, key) {
          const ms = await timed(() => pipeFromStore(tool('mongorestore', into, from), store, key));
          await client.db('bare').dropDatabase();
          return ms;
        },
      };
    },
  };
}
