import assert from 'node:assert/strict';
import { createPostgresDumpTool } from '../../../adapters/dump-tools/postgres-dump-tool.ts';
import type { DumpTool } from '../../../domain/backups/ports.ts';
import { databaseUsers } from '../../../domain/databases/database-name.ts';
import { startMongoCutter } from '../../support/mongo-cutter.ts';
import { type PostgresCutter, startPostgresCutter } from '../../support/postgres-cutter.ts';
import { startPostgres } from '../../support/start-postgres.ts';
import { startServiceMongo } from '../../support/start-service-mongo.ts';

/** A server with the database of a service, and a way to it that is cut off as a worker that is killed cuts it. */
export interface SwapServer {
  readonly tool: DumpTool;
  /** Whose every call goes by the cutter. */
  readonly cutTool: DumpTool;
  readonly cutter: Pick<PostgresCutter, 'cutAt' | 'asked' | 'wasCut'>;
  readonly database: string;
  /** Makes these the values of a database, as its service does. */
  write(database: string, values: readonly string[]): Promise<void>;
  /** As its service does. */
  read(database: string): Promise<readonly string[]>;
  /** Takes a database away, as an operator does. */
  remove(database: string): Promise<void>;
  stop(): Promise<void>;
}

const patience = () => AbortSignal.timeout(60_000);

export async function startPostgresServer(): Promise<SwapServer> {
  const postgres = await startPostgres();
  const cutter = await startPostgresCutter(postgres.adminUri);
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };
  const login = (database: string) => ({ user: databaseUsers(database)[0], password: 'of the service' });
  return {
    tool: createPostgresDumpTool({ adminUri: postgres.adminUri, env }),
    cutTool: createPostgresDumpTool({ adminUri: cutter.uri, env }),
    cutter,
    database: 'shop_prod',
    async write(database, values) {
      await postgres.server.ensure(database, login(database), patience());
      const workload = await postgres.connect(database, login(database));
      await workload.write('');
      await postgres.query('TRUNCATE notes', database);
      for (const value of values) await workload.write(value);
      await workload.close();
    },
    async read(database) {
      const workload = await postgres.connect(database, login(database));
      const values = await workload.read();
      await workload.close();
      return values;
    },
    remove: async (database) => void (await postgres.query(`DROP DATABASE IF EXISTS "${database}"`)),
    async stop() {
      await cutter.stop();
      await postgres.stop();
    },
  };
}

export async function startMongodbServer(): Promise<SwapServer> {
  const mongo = await startServiceMongo();
  const cutter = await startMongoCutter(mongo.adminUri);
  const COLLECTIONS = ['notes', 'copies'] as const;
  const of = (database: string, name: string) =>
    mongo.client.db(database).collection<{ _id: number; value: string }>(name);
  const read = async (database: string, name: string) =>
    (await of(database, name).find().sort({ _id: 1 }).toArray()).map(({ value }) => value);
  return {
    tool: mongo.dumpTool,
    cutTool: mongo.at(cutter.uri).dumpTool,
    cutter,
    database: mongo.fresh('shop'),
    async write(database, values) {
      for (const name of COLLECTIONS) {
        await of(database, name).deleteMany({});
        await of(database, name).insertMany(values.map((value, _id) => ({ _id, value })));
      }
    },
    async read(database) {
      const [notes, copies] = await Promise.all(COLLECTIONS.map((name) => read(database, name)));
      assert.deepEqual(copies, notes, 'no half of it is of another restore');
      return notes ?? [];
    },
    remove: async (database) => void (await mongo.client.db(database).dropDatabase()),
    async stop() {
      await cutter.stop();
      await mongo.stop();
    },
  };
}
