import {
  dependenciesOf,
  newerDebianPackages,
  unpackDebianPackages,
  unpackedRelease,
  writeUnpackedLauncher,
} from './debian-packages.ts';
import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';

/** From 7 on a rule names the keys and channels of a user, and takes single subcommands away. */
const OLDEST = 7;

/** The server of services' keys. Redis 7.0 of Debian is under the BSD license; Valkey answers as Redis 7.2 does. */
export const redisServer: Tool = {
  name: 'redis',
  title: 'Redis',
  // Debian keeps it up to date.
  version: 'debian',
  newer: newerDebianPackages,
  release: (folder) => unpackedRelease(folder, /^redis-server$/),
  file: 'redis-server',
  variable: 'FAIRLEAD_REDIS',
  onPath: ['redis-server', 'valkey-server'],
  probe: async (path) => {
    const output = await runProgram(path, ['--version'], { timeoutMs: 20_000 });
    const [, version = '', major] = /^(?:Redis|Valkey) server v=((\d+)\.\d+\.\d+)/.exec(output) ?? [];
    if (major === undefined || Number(major) < OLDEST) {
      throw new Error(`needs Redis ${OLDEST} or later: ${output.slice(0, 80).trim()}`);
    }
    return version;
  },
  ways: [
    {
      name: 'Debian packages redis-server and redis-tools (unpacked into the cache, not installed)',
      usual: '5 to 20 s',
      renews: true,
      obtain: async (folder) => {
        const packages = ['redis-server', 'redis-tools'];
        await unpackDebianPackages(folder, [...packages, ...(await dependenciesOf(packages, /^lib(?!elogind)/))]);
        await writeUnpackedLauncher(folder, 'redis-server', 'usr/bin/redis-server');
      },
    },
  ],
  byHand:
    'install Redis 7 or later, set FAIRLEAD_REDIS to its program "redis-server", or DB_REDIS_ADMIN_URL to a server',
};
