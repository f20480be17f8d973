import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBuilderIndexes } from '../../adapters/mongo/builder-database.ts';
import { connectMongo, type MongoConnection } from '../../adapters/mongo/connect.ts';
import { startStandIn } from './stand-in-process.ts';

export interface TestMongo {
  readonly uri: string;
  readonly connection: MongoConnection;
  stop(): Promise<void>;
}

/**
 * A database of its own, with indexes: on the server of FAIRLEAD_TEST_MONGODB_URI (such as a real mongod) where that
 * is set, else on a stand-in started for this test file.
 */
export async function startMongo(): Promise<TestMongo> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const given = process.env.FAIRLEAD_TEST_MONGODB_URI;
  const server =
    given === undefined ? await standInOfItsOwn() : { address: given.replace(/\/+$/, ''), stop: async () => {} };
  const uri = `${server.address}/${name}`;
  const connection = await connectMongo(uri, 'fairlead-test');
  await createBuilderIndexes(connection.db);
  const stop = async (): Promise<void> => {
    await connection.db.dropDatabase();
    await connection.close();
    await server.stop();
  };
  return { uri, connection, stop };
}

async function standInOfItsOwn(): Promise<{ address: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-mongo-'));
  const { address, kill } = await startStandIn(join(folder, 'data.mv'));
  const stop = async (): Promise<void> => {
    await kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  };
  return { address, stop };
}
