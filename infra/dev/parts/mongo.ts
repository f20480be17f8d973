import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceRow } from '../../../domain/services.ts';
import { makePrivateFolder } from '../data-folder.ts';
import { MONGO_HOST, MONGO_USER, mongoAddress, mongoUri, standInVariables } from '../mongo-uri.ts';
import { prepareMongod } from '../prepare-mongod.ts';
import { mongod, mongoStandIn } from '../tools/mongo.ts';
import { definePart } from './embedded-part.ts';

const REPLICA_SET = 'fairlead';
const TOOLS = [mongod, mongoStandIn] as const;

/** Of the one user. */
export const MONGO_PASSWORD = 'MONGO_PASSWORD';

/** By which members of a replica set know each other; a `mongod` with users must have one. */
const MEMBER_KEY = 'MONGO_MEMBER_KEY';

/** MongoDB: a `mongod` as a replica set of one, or the stand-in. Either answers nothing without the password. */
export const mongo = definePart({
  name: 'mongo',
  title: 'MongoDB',
  tools: TOOLS,
  keptTool: (dataDir) => TOOLS.find(({ name }) => existsSync(dataOf(dataDir, name)))?.name,
  ports: { mongo: { usual: 27_117, variable: 'FAIRLEAD_MONGO_PORT', title: 'MongoDB' } },
  folder: 'mongo',
  secrets: [MONGO_PASSWORD, MEMBER_KEY],
  replacedBy: 'MONGODB_URI',
  replacedWith: [],
  starts: 'always',
  provides: [
    {
      variable: 'MONGODB_URI',
      heldBy: 'every process',
      // The builder's database; the other services take theirs from the same server.
      value: ({ ports, secret }) => mongoUri(ports.mongo, secret(MONGO_PASSWORD), serviceRow('builder').database),
    },
  ],
  addresses: (ports) => ({ mongo: mongoAddress(ports.mongo) }),
  // Not as one address: what a person types after a command, every user of the machine can read.
  credentials: ({ ports, secret }) => ({
    address: `${mongoAddress(ports.mongo)}/?directConnection=true&authSource=admin`,
    user: MONGO_USER,
    password: secret(MONGO_PASSWORD),
  }),
  children: (tool, { dataDir, ports, secret }) => {
    const data = dataOf(dataDir, tool.name);
    const keyFile = join(dataDir, 'mongo', 'member-key');
    const shared = {
      name: 'mongo',
      command: tool.path,
      exitsBy: 'watchdog',
      ready: { kind: 'tcp', host: MONGO_HOST, port: ports.mongo },
      readyTimeoutMs: 60_000,
      graceMs: 20_000,
    } as const;
    const port = String(ports.mongo);
    const password = secret(MONGO_PASSWORD);
    if (tool.name !== mongod.name) {
      const env = standInVariables(password);
      const beforeStart = () => makePrivateFolder(data);
      return [{ ...shared, args: [join(data, 'data.h2'), MONGO_HOST, port], env, beforeStart }];
    }
    const args = ['--dbpath', data, '--bind_ip', MONGO_HOST, '--port', port, '--replSet', REPLICA_SET, '--quiet'];
    return [
      {
        ...shared,
        args: [...args, '--auth', '--keyFile', keyFile],
        beforeStart: async () => {
          await makePrivateFolder(data);
          // A mongod refuses a key that others may read, or that is not in base64.
          await rm(keyFile, { force: true });
          await writeFile(keyFile, Buffer.from(secret(MEMBER_KEY), 'base64url').toString('base64'), { mode: 0o600 });
        },
        afterReady: () => prepareMongod({ port: ports.mongo, password, replicaSet: REPLICA_SET }),
      },
    ];
  },
});

/** Where each kind of MongoDB keeps its data: neither can read the other's. */
function dataOf(dataDir: string, toolName: string): string {
  return join(dataDir, 'mongo', toolName);
}
