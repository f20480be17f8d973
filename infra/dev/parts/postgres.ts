import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makePrivateFolder } from '../data-folder.ts';
import { asOrdinaryUser } from '../ordinary-user.ts';
import { initdbBeside, postgresServer } from '../tools/postgres.ts';
import type { ResolvedTool } from '../tools/resolve-tool.ts';
import { runProgram } from '../tools/run-program.ts';
import { definePart } from './embedded-part.ts';

const HOST = '127.0.0.1';
const ADMIN = 'fairlead';
const PASSWORD = 'POSTGRES_PASSWORD';
/** Of all users of other services; see adapters/postgres/consumers.ts. What is open to them, the rights of each database say. */
const CONSUMERS = 'fairlead-consumers';
const STARTING = '57P03';
const OPEN_WITHIN_MS = 60_000;
const POLL_MS = 100;

/**
 * Who may connect, from this machine alone and by password: the administrator, and a user to the database whose owner it
 * is a member of. See "The pg_hba.conf File" in PostgreSQL's documentation.
 */
const ACCESS = `host all ${ADMIN} ${HOST}/32 scram-sha-256
host samerole all ${HOST}/32 scram-sha-256
host all +${CONSUMERS} ${HOST}/32 scram-sha-256
`;

/** PostgreSQL for the databases of services, in a folder of its own: the machine's own cluster is not touched. */
export const postgres = definePart({
  name: 'postgres',
  title: 'PostgreSQL',
  tools: [postgresServer],
  ports: { postgres: { usual: 5532, variable: 'FAIRLEAD_POSTGRES_PORT', title: 'PostgreSQL' } },
  folder: 'postgres',
  secrets: [PASSWORD],
  replacedBy: 'DB_POSTGRES_ADMIN_URI',
  replacedWith: ['DB_POSTGRES_HOST', 'DB_POSTGRES_PORT', 'DB_POSTGRES_SSLMODE'],
  starts: 'on first need',
  provides: [
    {
      variable: 'DB_POSTGRES_ADMIN_URI',
      heldBy: 'worker',
      value: ({ ports, secret }) => `postgresql://${ADMIN}:${secret(PASSWORD)}@${HOST}:${ports.postgres}/postgres`,
    },
    { variable: 'DB_POSTGRES_HOST', heldBy: 'every process', value: () => HOST },
    { variable: 'DB_POSTGRES_PORT', heldBy: 'every process', value: ({ ports }) => String(ports.postgres) },
  ],
  addresses: (ports) => ({ postgres: `${HOST}:${ports.postgres}` }),
  credentials: ({ ports, secret }) => ({
    address: `postgresql://${HOST}:${ports.postgres}/postgres`,
    user: ADMIN,
    password: secret(PASSWORD),
  }),
  children: async (tool, { dataDir, ports, secret }) => {
    const home = join(dataDir, 'postgres');
    const settings = {
      listen_addresses: HOST,
      port: String(ports.postgres),
      unix_socket_directories: '',
      hba_file: join(home, 'access.conf'),
      password_encryption: 'scram-sha-256',
      max_connections: '200',
      // What drops a database waits until every process of the server has noticed, this one, which sleeps between rounds, too.
      autovacuum_naptime: '5s',
      // Nobody but the administrator reads what others do.
      log_statement: 'none',
      jit: 'off',
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const [command, ...args] = await asOrdinaryUser([tool.path, '-D', join(home, 'data'), ...flags]);
    return [
      {
        name: 'postgres',
        command,
        args,
        exitsBy: 'watchdog',
        // It ends connections; by SIGTERM it would wait for their clients.
        endsBy: 'SIGINT',
        ready: { kind: 'tcp', host: HOST, port: ports.postgres },
        readyTimeoutMs: 60_000,
        graceMs: 20_000,
        afterReady: () => untilOpen(ports.postgres, secret(PASSWORD)),
        beforeStart: async () => {
          await makePrivateFolder(home);
          await writeFile(join(home, 'access.conf'), ACCESS, { mode: 0o600 });
          await makeData(home, tool, secret(PASSWORD));
        },
      },
    ];
  },
});

/** A server that recovers from a crash listens before it takes connections, which it says by an error (57P03). */
async function untilOpen(port: number, password: string): Promise<void> {
  // Loaded here: whoever reads the table of parts does not need it.
  const { Client, DatabaseError } = await import('pg');
  for (const deadline = Date.now() + OPEN_WITHIN_MS; ; await delay(POLL_MS)) {
    const client = new Client({ host: HOST, port, user: ADMIN, password, database: 'postgres' });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return;
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== STARTING || Date.now() > deadline) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/**
 * Makes the data folder, which appears as a whole: a start that was killed begins anew.
 * @throws Error for data of another major version, which the server cannot read
 */
async function makeData(home: string, tool: ResolvedTool, password: string): Promise<void> {
  const data = join(home, 'data');
  if (existsSync(data)) {
    const major = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
    if (tool.version.split('.')[0] === major) return;
    const remedy = `set ${postgresServer.variable} to a server of version ${major}`;
    throw new Error(`the data in ${data} is of PostgreSQL ${major}, and ${tool.path} is ${tool.version}: ${remedy}`);
  }
  const partial = join(home, 'data.partial');
  const passwordFile = join(home, 'password');
  await rm(partial, { recursive: true, force: true });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  try {
    const [command, ...args] = await asOrdinaryUser([
      await initdbBeside(tool.path),
      ...['-D', partial, '--username', ADMIN, `--pwfile=${passwordFile}`, '--auth', 'scram-sha-256'],
      ...['--encoding', 'UTF8', '--locale', 'C', '--no-instructions'],
    ]);
    await runProgram(command, args, { timeoutMs: 60_000 });
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(partial, data);
}
