import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makePrivateFolder } from '../data-folder.ts';
import { redisServer } from '../tools/redis.ts';
import { definePart } from './embedded-part.ts';

const HOST = '127.0.0.1';
const ADMIN = 'fairlead';
const PASSWORD = 'REDIS_PASSWORD';
const FOLDER = 'redis';
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
      value: ({ ports, secret }) => adminUrl(ports.redis, secret(PASSWORD)),
    },
    { variable: 'DB_REDIS_HOST', heldBy: 'every process', value: () => HOST },
    { variable: 'DB_REDIS_PORT', heldBy: 'every process', value: ({ ports }) => String(ports.redis) },
  ],
  addresses: (ports) => ({ redis: `${HOST}:${ports.redis}` }),
  credentials: ({ ports, secret }) => ({
    address: `redis://${HOST}:${ports.redis}/0`,
    user: ADMIN,
    password: secret(PASSWORD),
  }),
  children: (tool, { dataDir, ports, secret }) => {
    const home = join(dataDir, FOLDER);
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
      'enable-debug-command': 'no',
      'enable-module-command': 'no',
    };
    return [
      {
        name: 'redis',
        command: tool.path,
        args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
        exitsBy: 'watchdog',
        ready: { kind: 'tcp', host: HOST, port: ports.redis },
        readyTimeoutMs: 60_000,
        graceMs: 20_000,
        beforeStart: async () => {
          await makePrivateFolder(home);
          await writeAdministrator(users, secret(PASSWORD));
        },
        afterReady: () => untilLoaded(adminUrl(ports.redis, secret(PASSWORD))),
      },
    ];
  },
});

function adminUrl(port: number, password: string): string {
  return `redis://${ADMIN}:${password}@${HOST}:${port}/0`;
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

/** A server that reads its data listens before it answers, which it says by the error LOADING. */
async function untilLoaded(url: string): Promise<void> {
  // Loaded here: whoever reads the table of parts does not need it.
  const { createClient } = await import('@redis/client');
  for (const deadline = Date.now() + OPEN_WITHIN_MS; ; await delay(POLL_MS)) {
    const client = createClient({ url, socket: { reconnectStrategy: false } });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.ping();
      return;
    } catch (error) {
      if (!/^LOADING/.test((error as Error).message) || Date.now() > deadline) throw error;
    } finally {
      client.destroy();
    }
  }
}
