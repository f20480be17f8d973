import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient, MongoServerError } from 'mongodb';
import { SEARCH_ATTRIBUTES } from '../../domain/search-attributes.ts';
import type { ChildSpec } from './child-process.ts';
import type { Ports } from './stack-ports.ts';
import type { ResolvedTool } from './tools/resolve-tool.ts';
import { runProgram } from './tools/run-program.ts';

/** The third-party servers of a stack, as children of its supervisor. All listen on the loopback alone. */

const HOST = '127.0.0.1';
const REPLICA_SET = 'fairlead';
const ALREADY_INITIALIZED = 23;

/** Temporal with its web UI on a database file. */
export function temporalServer(tool: ResolvedTool, folder: string, ports: Ports): ChildSpec {
  const settings = [
    ['--dynamic-config-value', 'system.enableActivityEagerExecution=true'],
    ['--sqlite-pragma', 'journal_mode=wal'],
    ['--sqlite-pragma', 'synchronous=normal'],
    ...Object.values(SEARCH_ATTRIBUTES).map((name) => ['--search-attribute', `${name}=Keyword`]),
  ];
  return {
    name: 'temporal',
    command: tool.path,
    args: [
      ...['server', 'start-dev', '--headless=false', '--ip', HOST, '--ui-ip', HOST, '--log-level', 'warn'],
      ...['--port', String(ports.temporal), '--ui-port', String(ports.temporalUi)],
      ...['--db-filename', join(folder, 'temporal', 'temporal.db')],
      ...settings.flat(),
    ],
    tie: 'leash',
    // The UI answers last, once the server behind it does.
    ready: { kind: 'http', url: `http://${HOST}:${ports.temporalUi}/api/v1/namespaces/default` },
    readyTimeoutMs: 60_000,
    graceMs: 10_000,
    beforeStart: async () => void (await mkdir(join(folder, 'temporal'), { recursive: true })),
  };
}

/** A `mongod` as a replica set of one, or the stand-in. */
export function mongoServer(tool: ResolvedTool, folder: string, ports: Ports): ChildSpec {
  const shared = {
    name: 'mongo',
    command: tool.path,
    tie: 'leash',
    ready: { kind: 'tcp', host: HOST, port: ports.mongo },
    readyTimeoutMs: 60_000,
    graceMs: 20_000,
  } as const;
  const data = mongoData(folder, tool.name);
  const beforeStart = async (): Promise<void> => void (await mkdir(data, { recursive: true }));
  if (tool.name !== 'mongod') {
    return { ...shared, beforeStart, args: [join(data, 'data.h2'), HOST, String(ports.mongo)] };
  }
  return {
    ...shared,
    beforeStart,
    args: ['--dbpath', data, '--bind_ip', HOST, '--port', String(ports.mongo), '--replSet', REPLICA_SET, '--quiet'],
    afterReady: () => initiateReplicaSet(ports.mongo),
  };
}

/** Where each kind of MongoDB keeps its data: neither can read the other's. */
export function mongoData(folder: string, toolName: string): string {
  return join(folder, 'mongo', toolName);
}

/** The address of the embedded MongoDB's database for the builder. */
export function mongoAddress(ports: Ports): string {
  return `mongodb://${HOST}:${ports.mongo}/builder?directConnection=true`;
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

/** The image registry on a folder, with deletion on; what nothing refers to any more is removed before each start. */
export function registryServer(tool: ResolvedTool, folder: string, ports: Ports): ChildSpec {
  const home = join(folder, 'registry');
  const config = join(home, 'config.yml');
  const content = `version: 0.1
log: { level: warn, accesslog: { disabled: true } }
storage:
  filesystem: { rootdirectory: ${JSON.stringify(join(home, 'data'))} }
  delete: { enabled: true }
  cache: { blobdescriptor: inmemory }
http: { addr: '${HOST}:${ports.registry}' }
`;
  return {
    name: 'registry',
    command: tool.path,
    args: ['serve', config],
    env: { OTEL_TRACES_EXPORTER: 'none' },
    tie: 'leash',
    ready: { kind: 'http', url: `http://${HOST}:${ports.registry}/v2/` },
    readyTimeoutMs: 20_000,
    graceMs: 5_000,
    beforeStart: async () => {
      const store = join(home, 'data', 'docker', 'registry', 'v2');
      // The collector takes an empty store for a broken one.
      for (const name of ['repositories', 'blobs']) await mkdir(join(store, name), { recursive: true });
      await writeFile(config, content);
      await runProgram(tool.path, ['garbage-collect', config], { timeoutMs: 60_000 });
    },
  };
}
