import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makePrivateFolder } from '../data-folder.ts';
import { redisServer } from '../tools/redis.ts';
import { definePart, type PartContext } from './embedded-part.ts';

const HOST = '127.0.0.1';
const ADMIN = 'fairlead';
const PASSWORD = 'REDIS_PASSWORD';
const FOLDER = 'redis';
/** The longest path of a Unix socket on Linux, less its end. */
const MAX_SOCKET_PATH = 107;
/** What one client may ask for and be sent, and all of them together, within `maxmemory`: the client that takes most is cut first. */
const CLIENT_LIMITS = {
  'maxmemory-clients': '128mb',
  'proto-max-bulk-len': '32mb',
  'client-query-buffer-limit': '64mb',
  'client-output-buffer-limit': 'normal 64mb 32mb 30 pubsub 32mb 8mb 60',
  // While a script runs for longer others are told so in place of waiting.
  'busy-reply-threshold': '2000',
};
/**
 * Address space of the server, in KiB: scripts take memory beside `maxmemory`. One that takes all of it gets an error, or ends the
 * server, which is started again with its data; without the limit the machine would run out of memory.
 */
const ADDRESS_SPACE_KIB = 2 * 1024 * 1024;
/**
 * What is free goes back to the system: jemalloc would keep its addresses, and the server would be at the limit from the first such
 * script on. What that script took is free once the server starts again, or with SCRIPT FLUSH SYNC: Lua collects nothing when it runs
 * out of memory. The variable has a prefix where Redis brings jemalloc with it.
 */
const GIVE_BACK = 'MALLOC_CONF=retain:false JE_MALLOC_CONF=retain:false';
/** Where the limit is unknown, as on macOS, there is none. */
const LIMITED = `ulimit -v ${ADDRESS_SPACE_KIB} 2>/dev/null; export ${GIVE_BACK}; exec "$0" "$@"`;
const OPEN_WITHIN_MS = 60_000;
const POLL_MS = 100;

/** Redis for the keys of services: each user reaches the keys of one service, and nobody is let in without a password. */
export const redis = definePart({
  name: 'redis',
  title: 'Redis',
  tools: [redisServer],
  ports: { redis: { usual: 6479, variable: 'FAIRLEAD_REDIS_PORT', title: 'Redis' } },
  folder: FOLDER,
  secrets: [PASSWORD],
  replacedBy: 'DB_REDIS_ADMIN_URL',
  replacedWith: ['DB_REDIS_HOST', 'DB_REDIS_PORT'],
  starts: 'on first need',
  provides: [
    {
      variable: 'DB_REDIS_ADMIN_URL',
      heldBy: 'worker',
      value: adminUrl,
    },
    { variable: 'DB_REDIS_HOST', heldBy: 'every process', value: () => HOST },
    { variable: 'DB_REDIS_PORT', heldBy: 'every process', value: ({ ports }) => String(ports.redis) },
  ],
  addresses: (ports) => ({ redis: `${HOST}:${ports.redis}` }),
  credentials: ({ dataDir, ports, secret }) => ({
    address: socketPath(dataDir) ?? `redis://${HOST}:${ports.redis}/0`,
    user: ADMIN,
    password: secret(PASSWORD),
  }),
  children: (tool, context) => {
    const { dataDir, ports, secret } = context;
    const home = join(dataDir, FOLDER);
    const socket = socketPath(dataDir);
    const users = join(home, 'users.acl');
    const settings = {
      bind: HOST,
      port: String(ports.redis),
      dir: home,
      aclfile: users,
      // Every second of writes is on disk: queues and sessions are data as well.
      appendonly: 'yes',
      save: '',
      // Nothing that a service wrote makes room for what another one writes.
      maxmemory: '512mb',
      'maxmemory-policy': 'noeviction',
      // Out of memory it would take seconds to write a report, for which it has none: the last line of its log says so.
      'crash-log-enabled': 'no',
      'crash-memcheck-enabled': 'no',
      ...CLIENT_LIMITS,
      ...(socket === null ? {} : { unixsocket: socket, unixsocketperm: '700' }),
      'enable-debug-command': 'no',
      'enable-module-command': 'no',
    };
    return [
      {
        name: 'redis',
        command: '/bin/sh',
        args: ['-c', LIMITED, tool.path, ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])],
        exitsBy: 'watchdog',
        ready: { kind: 'tcp', host: HOST, port: ports.redis },
        readyTimeoutMs: 60_000,
        graceMs: 20_000,
        beforeStart: async () => {
          await makePrivateFolder(home);
          await writeAdministrator(users, secret(PASSWORD));
        },
        afterReady: () => untilLoaded(adminUrl(context)),
      },
    ];
  },
});

/**
 * The administrator's way: a socket in a folder of ours. On the port any program of the machine may listen while the server is
 * down, and would be sent the password. Null where the path is longer than the system takes.
 */
function socketPath(dataDir: string): string | null {
  const path = join(resolve(dataDir), FOLDER, 'admin.sock');
  return Buffer.byteLength(path) > MAX_SOCKET_PATH ? null : path;
}

function adminUrl({ dataDir, ports, secret }: Pick<PartContext<'redis'>, 'dataDir' | 'ports' | 'secret'>): string {
  const login = `${ADMIN}:${secret(PASSWORD)}`;
  const socket = socketPath(dataDir);
  if (socket === null) return `redis://${login}@${HOST}:${ports.redis}/0`;
  return `redis+unix://${login}@localhost${socket.split('/').map(encodeURIComponent).join('/')}`;
}

/** Puts the administrator into the file of users, which the server itself writes when users of services are made. */
async function writeAdministrator(file: string, password: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const kept = text.split('\n').filter((line) => line !== '' && !/^user (?:default|fairlead) /.test(line));
  const hash = createHash('sha256').update(password).digest('hex');
  const lines = ['user default off', `user ${ADMIN} on #${hash} ~* &* +@all`, ...kept];
  await writeFile(`${file}.partial`, `${lines.join('\n')}\n`, { mode: 0o600 });
  await rename(`${file}.partial`, file);
}

/** A server that reads its data listens before it answers, which it says by the error LOADING. By BUSY it says that it serves a script. */
async function untilLoaded(url: string): Promise<void> {
  // Loaded here: whoever reads the table of parts does not need it.
  const { ANSWER_MS, withAdmin } = await import('../../../adapters/redis/with-admin.ts');
  const admin = { adminUrl: url, answerMs: ANSWER_MS };
  for (const deadline = Date.now() + OPEN_WITHIN_MS; ; await delay(POLL_MS)) {
    try {
      await withAdmin(admin, AbortSignal.timeout(OPEN_WITHIN_MS), (client) => client.ping());
      return;
    } catch (error) {
      const { cause = error } = error as Error;
      if (/^BUSY/.test((cause as Error).message)) return;
      // The socket is there a moment after the port.
      if (!/^LOADING|ENOENT|ECONNREFUSED/.test((cause as Error).message) || Date.now() > deadline) throw error;
    }
  }
}
