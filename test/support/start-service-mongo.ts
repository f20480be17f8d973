import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MongoClient, MongoServerError } from 'mongodb';
import { createMongoDumpTool, type MongoDumpOptions } from '../../adapters/dump-tools/mongo-dump-tool.ts';
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
  /** Where `mongodump` and `mongorestore` are. */
  readonly toolsDir: string;
  readonly tools: MongoTools;
  readonly dumpTool: DumpTool;
  /** The same two at another address, such as that of a proxy before the server. */
  at(uri: string, given?: Partial<MongoDumpOptions>): { readonly tools: MongoTools; readonly dumpTool: DumpTool };
  /** A name that no other test has, and whose database is dropped at the end. */
  fresh(service: string): string;
  stop(): Promise<void>;
}

/** Why a test does not run on the stand-in. */
export const NEEDS_USERS = `the stand-in has no users: name a MongoDB in ${TEST_MONGODB_URI}`;

const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C' };

/**
 * The server that `npm test` has, or a person named; else a stand-in of its own.
 * @param isAlone a stand-in of its own in the place of the one of `npm test`, for a test that moves much data
 */
export async function startServiceMongo({ isAlone = false } = {}): Promise<ServiceMongo> {
  const server = await findServer(isAlone);
  const adminUri = withoutDatabase(server.address);
  const toolsDir = dirname(await toolPath('mongo-tools'));
  const client = connectTo(adminUri);
  const hasUsers = await knowsUsers(client);
  const { version } = await client.db('admin').command({ buildInfo: 1 });
  const at = (uri: string, given: Partial<MongoDumpOptions> = {}) => {
    const options = { adminUri: uri, toolsDir, env, ...given };
    return { tools: createMongoTools(options), dumpTool: createMongoDumpTool(options) };
  };
  const made: string[] = [];
  return {
    adminUri,
    password: passwordsOf(adminUri)[0] ?? '',
    client,
    hasUsers,
    title: hasUsers ? `MongoDB ${version}` : 'the stand-in',
    toolsDir,
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

/** Whether a person named a MongoDB with users. */
export async function isMongodbNamed(): Promise<boolean> {
  const given = process.env[TEST_MONGODB_URI];
  return given !== undefined && (await isMongodb(given));
}

async function findServer(isAlone: boolean): Promise<{ readonly address: string; stop(): Promise<void> }> {
  const given = process.env[TEST_MONGODB_URI];
  if (given === undefined || (isAlone && !(await isMongodb(given)))) return await ownStandIn();
  return { address: given, stop: async () => undefined };
}

async function isMongodb(address: string): Promise<boolean> {
  const client = connectTo(withoutDatabase(address));
  try {
    return await knowsUsers(client);
  } finally {
    await client.close();
  }
}

function connectTo(adminUri: string): MongoClient {
  return new MongoClient(adminUri, { writeConcern: { w: 'majority' } });
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
