import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectMongo, type MongoConnection } from '../../../adapters/mongo/connect.ts';
import { createIndexes } from '../../../adapters/mongo/indexes.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { mongoStandIn } from '../../../infra/dev/tools/mongo.ts';
import { resolveTool } from '../../../infra/dev/tools/resolve-tool.ts';
import { freePort } from '../../free-port.ts';

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
    given === undefined ? await startStandIn() : { address: given.replace(/\/+$/, ''), stop: async () => {} };
  const uri = `${server.address}/${name}`;
  const connection = await connectMongo(uri, 'fairlead-test');
  await createIndexes(connection.db);
  const stop = async (): Promise<void> => {
    await connection.db.dropDatabase();
    await connection.close();
    await server.stop();
  };
  return { uri, connection, stop };
}

async function startStandIn(): Promise<{ address: string; stop(): Promise<void> }> {
  const tool = await resolveTool(mongoStandIn, { env: process.env, report: silentReporter });
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-mongo-'));
  const port = await freePort();
  const child = spawn(tool.path, [join(folder, 'data.mv'), '127.0.0.1', String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await serving(child);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  };
  return { address: `mongodb://127.0.0.1:${port}`, stop };
}

async function serving(child: ChildProcess): Promise<void> {
  const { stdout } = child;
  if (stdout === null) throw new Error('the stand-in has no output');
  const signal = AbortSignal.timeout(60_000);
  await Promise.race([
    once(stdout, 'data', { signal }),
    once(child, 'exit', { signal }).then(() => {
      throw new Error('the MongoDB stand-in ended at its start');
    }),
  ]);
  stdout.resume();
}
