import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient, MongoServerError } from 'mongodb';
import { serviceRow } from '../../../domain/services.ts';
import { mongod, mongoStandIn } from '../tools/mongo.ts';
import { definePart } from './embedded-part.ts';

const HOST = '127.0.0.1';
const REPLICA_SET = 'fairlead';
const ALREADY_INITIALIZED = 23;
const TOOLS = [mongod, mongoStandIn] as const;

/** MongoDB: a `mongod` as a replica set of one, or the stand-in. */
export const mongo = definePart({
  name: 'mongo',
  title: 'MongoDB',
  tools: TOOLS,
  keptTool: (dataDir) => TOOLS.find(({ name }) => existsSync(dataOf(dataDir, name)))?.name,
  ports: { mongo: { usual: 27_117, variable: 'FAIRLEAD_MONGO_PORT', title: 'MongoDB' } },
  folder: 'mongo',
  secrets: [],
  replacedBy: 'MONGODB_URI',
  replacedWith: [],
  starts: 'always',
  provides: [{ variable: 'MONGODB_URI', heldBy: 'every process', value: ({ ports }) => addressOf(ports.mongo) }],
  addresses: (ports) => ({ mongo: addressOf(ports.mongo) }),
  children: (tool, { dataDir, ports }) => {
    const data = dataOf(dataDir, tool.name);
    const shared = {
      name: 'mongo',
      command: tool.path,
      exitsBy: 'watchdog',
      ready: { kind: 'tcp', host: HOST, port: ports.mongo },
      readyTimeoutMs: 60_000,
      graceMs: 20_000,
      beforeStart: async () => void (await mkdir(data, { recursive: true })),
    } as const;
    const port = String(ports.mongo);
    if (tool.name !== mongod.name) return [{ ...shared, args: [join(data, 'data.h2'), HOST, port] }];
    const args = ['--dbpath', data, '--bind_ip', HOST, '--port', port, '--replSet', REPLICA_SET, '--quiet'];
    return [{ ...shared, args, afterReady: () => initiateReplicaSet(ports.mongo) }];
  },
});

/** Where each kind of MongoDB keeps its data: neither can read the other's. */
function dataOf(dataDir: string, toolName: string): string {
  return join(dataDir, 'mongo', toolName);
}

/** The builder's database; the other services take theirs from the same server. */
function addressOf(port: number): string {
  return `mongodb://${HOST}:${port}/${serviceRow('builder').database}?directConnection=true`;
}

async function initiateReplicaSet(port: number): Promise<void> {
  const client = new MongoClient(`mongodb://${HOST}:${port}/?directConnection=true`);
  try {
    const members = [{ _id: 0, host: `${HOST}:${port}` }];
    await client
      .db('admin')
      .command({ replSetInitiate: { _id: REPLICA_SET, members } })
      .catch(async (error: unknown) => {
        if (!(error instanceof MongoServerError && error.code === ALREADY_INITIALIZED)) throw error;
        // Another port than last time: the member must be told its address.
        const { config } = await client.db('admin').command({ replSetGetConfig: 1 });
        const next = { ...config, version: config.version + 1, members };
        if (config.members[0]?.host !== members[0]?.host) {
          await client.db('admin').command({ replSetReconfig: next, force: true });
        }
      });
    const deadline = Date.now() + 30_000;
    while (Date.now() < deadline) {
      if ((await client.db('admin').command({ hello: 1 })).isWritablePrimary) return;
    }
    throw new Error('MongoDB did not become primary within 30 s');
  } finally {
    await client.close();
  }
}
