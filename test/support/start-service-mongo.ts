import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MongoClient, MongoServerError } from 'mongodb';
import { createMongoDumpTool } from '../../adapters/dump-tools/mongo-dump-tool.ts';
import { createMongoTools, type MongoTools } from '../../adapters/dump-tools/mongo-tools.ts';
import { passwordsOf, withoutDatabase } from '../../adapters/mongodb-server/address.ts';
import type { DumpTool } from '../../domain/backups/ports.ts';
import { startStandIn } from '../../infra/dev/stand-in-process.ts';
import { TEST_MONGODB_URI } from '../../infra/dev/test-variables.ts';
import { toolPath } from './tool-path.ts';

/** A MongoDB server as those of services' databases, with the tools that back it up. */
export interface ServiceMongo {
  readonly adminUri: string;
  readonly password: string;
  readonly client: MongoClient;
  /** False on the stand-in, which has one user and no roles: what needs them is proven on MongoDB itself alone. */
  readonly hasUsers: boolean;
  /** `MongoDB 7.0.24`, or `the stand-in` */
  readonly title: string;
  readonly tools: MongoTools;
  readonly dumpTool: DumpTool;
  /** The same two at another address, such as that of a proxy before the server. */
  at(uri: string): { readonly tools: MongoTools; readonly dumpTool: DumpTool };
  /** A name that no other test has, and whose database is dropped at the end. */
  fresh(service: string): string;
  stop(): Promise<void>;
}

/** Why a test does not run on the stand-in. */
export const NEEDS_USERS = `the stand-in has no users: name a MongoDB in ${TEST_MONGODB_URI}`;

const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };

/** The server that `npm test` has, or a person named; else a stand-in of its own. */
export async function startServiceMongo(): Promise<ServiceMongo> {
  const given = process.env[TEST_MONGODB_URI];
  const server = given === undefined ? await ownStandIn() : { address: given, stop: async () => undefined };
  const adminUri = withoutDatabase(server.address);
  const toolsDir = dirname(await toolPath('mongo-tools'));
  const client = new MongoClient(adminUri, { writeConcern: { w: 'majority' } });
  const hasUsers = await knowsUsers(client);
  const { version } = await client.db('admin').command({ buildInfo: 1 });
  const at = (uri: string) => {
    const options = { adminUri: uri, toolsDir, env };
    return { tools: createMongoTools(options), dumpTool: createMongoDumpTool(options) };
  };
  const made: string[] = [];
  return {
    adminUri,
    password: passwordsOf(adminUri)[0] ?? '',
    client,
    hasUsers,
    title: hasUsers ? `MongoDB ${version}` : 'the stand-in',
    ...at(adminUri),
    at,
    fresh(service) {
      const database = `${service}-${randomBytes(4).toString('hex')}_prod`;
      made.push(database);
      return database;
    },
    async stop() {
      for (const database of made) await client.db(database).dropDatabase();
      await client.close();
      await server.stop();
    },
  };
}

async function knowsUsers(client: MongoClient): Promise<boolean> {
  try {
    await client.db('admin').command({ usersInfo: 1 });
    return true;
  } catch (error) {
    if (error instanceof MongoServerError) return false;
    throw error;
  }
}

async function ownStandIn(): Promise<{ address: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-mongo-'));
  const { address, kill } = await startStandIn(await toolPath('mongo-stand-in'), join(folder, 'data.mv'));
  const stop = async (): Promise<void> => {
    await kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  };
  return { address, stop };
}
