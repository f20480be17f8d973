import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from '../data-folder.ts';
import { MONGO_HOST, MONGO_USER, mongoAddress, mongoUri } from '../mongo-uri.ts';
import { prepareMongod } from '../prepare-mongod.ts';
import { silentReporter } from '../terminal.ts';
import { mongod } from '../tools/mongo.ts';
import { resolveTool } from '../tools/resolve-tool.ts';
import { definePart, type PartContext } from './embedded-part.ts';

const FOLDER = 'mongodb-tenants';
const REPLICA_SET = 'tenants';
const PASSWORD = 'TENANTS_MONGODB_PASSWORD';
/** By which members of a replica set know each other; a `mongod` with users must have one. */
const MEMBER_KEY = 'TENANTS_MONGODB_MEMBER_KEY';

/**
 * MongoDB for the databases of services, apart from the one that holds the platform's own data: no address that a service
 * is given reaches that. Only a `mongod` serves: the stand-in has one user, so that each service would open the databases of
 * all others. Where there is no `mongod`, nothing says that there is a server, and deploys go on without the database.
 */
export const mongodbTenants = definePart({
  name: 'mongodb-tenants',
  title: 'MongoDB of services',
  tools: [mongod],
  ports: { mongodbTenants: { usual: 27_217, variable: 'FAIRLEAD_MONGODB_TENANTS_PORT', title: 'MongoDB of services' } },
  folder: FOLDER,
  secrets: [PASSWORD, MEMBER_KEY],
  replacedBy: 'DB_MONGODB_ADMIN_URI',
  replacedWith: ['DB_MONGODB_HOST', 'DB_MONGODB_PORT'],
  starts: 'on first need',
  provides: [
    {
      variable: 'DB_MONGODB_ADMIN_URI',
      heldBy: 'worker',
      value: async (context) => {
        if (!(await hasMongod(context))) return undefined;
        return mongoUri(context.ports.mongodbTenants, context.secret(PASSWORD));
      },
    },
    { variable: 'DB_MONGODB_HOST', heldBy: 'every process', value: () => MONGO_HOST },
    { variable: 'DB_MONGODB_PORT', heldBy: 'every process', value: ({ ports }) => String(ports.mongodbTenants) },
  ],
  addresses: (ports) => ({ 'mongodb-tenants': mongoAddress(ports.mongodbTenants) }),
  credentials: ({ ports, secret }) => ({
    address: `${mongoAddress(ports.mongodbTenants)}/?directConnection=true&authSource=admin`,
    user: MONGO_USER,
    password: secret(PASSWORD),
  }),
  children: (tool, { dataDir, ports, secret }) => {
    const home = join(dataDir, FOLDER);
    const data = join(home, 'data');
    const keyFile = join(home, 'member-key');
    const port = String(ports.mongodbTenants);
    return [
      {
        name: 'mongodb-tenants',
        command: tool.path,
        args: [
          ...['--dbpath', data, '--bind_ip', MONGO_HOST, '--port', port, '--replSet', REPLICA_SET, '--quiet'],
          ...['--auth', '--keyFile', keyFile],
        ],
        exitsBy: 'watchdog',
        ready: { kind: 'tcp', host: MONGO_HOST, port: ports.mongodbTenants },
        readyTimeoutMs: 60_000,
        graceMs: 20_000,
        beforeStart: async () => {
          await makePrivateFolder(home);
          await makePrivateFolder(data);
          // A mongod refuses a key that others may read, or that is not in base64.
          await rm(keyFile, { force: true });
          await writeFile(keyFile, Buffer.from(secret(MEMBER_KEY), 'base64url').toString('base64'), { mode: 0o600 });
        },
        afterReady: () =>
          prepareMongod({ port: ports.mongodbTenants, password: secret(PASSWORD), replicaSet: REPLICA_SET }),
      },
    ];
  },
});

/** Whether there is a `mongod`: the parts that start with the stack have fetched it by then where it can be had. */
function hasMongod({ env }: Pick<PartContext, 'env'>): Promise<boolean> {
  return resolveTool(mongod, { env, report: silentReporter, obtain: false }).then(
    () => true,
    () => false,
  );
}
