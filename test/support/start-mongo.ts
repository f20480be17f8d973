import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBuilderIndexes } from '../../adapters/mongo/builder-database.ts';
import { connectMongo, type MongoConnection } from '../../adapters/mongo/connect.ts';
import { TEST_MONGODB_URI } from '../../infra/dev/test-variables.ts';
import { toolPath } from './tool-path.ts';

export interface TestMongo {
  readonly uri: string;
  /** Another database on the same server, which nobody drops: its name ends in this. */
  readonly uriOf: (suffix: string) => string;
  readonly connection: MongoConnection;
  stop(): Promise<void>;
}

/**
 * A database of its own, with indexes: on the server that `npm test` started for all files, else on a stand-in started
 * for this one. Who stops or kills the server starts one with `startStandIn`.
 */
export async function startMongo(): Promise<TestMongo> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const given = process.env[TEST_MONGODB_URI];
  const server = given === undefined ? await standInOfItsOwn() : { address: given, stop: async () => {} };
  const uri = databaseAt(server.address, name);
  const uriOf = (suffix: string): string => databaseAt(server.address, `${name}_${suffix}`);
  const connection = await connectMongo(uri, 'fairlead-test');
  await createBuilderIndexes(connection.db);
  const stop = async (): Promise<void> => {
    await connection.db.dropDatabase();
    await connection.close();
    await server.stop();
  };
  return { uri, uriOf, connection, stop };
}

/** The address of a server, which may have credentials and options, with a database in it. */
function databaseAt(address: string, database: string): string {
  const [server = '', options] = address.split('?');
  return `${server.replace(/\/+$/, '')}/${database}${options === undefined ? '' : `?${options}`}`;
}

async function standInOfItsOwn(): Promise<{ address: string; stop(): Promise<void> }> {
  const { startStandIn } = await import('../../infra/dev/stand-in-process.ts');
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-mongo-'));
  const { address, kill } = await startStandIn(await toolPath('mongo-stand-in'), join(folder, 'data.mv'));
  const stop = async (): Promise<void> => {
    await kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  return { address, stop };
}
