import { chmod, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';

/** Where Debian and its kin install servers, each major version in a folder. */
const INSTALLED = '/usr/lib/postgresql';
/** A restore ends connections by `pg_terminate_backend` with a time limit, which is of 14. */
const OLDEST = 14;
const PROGRAMS = ['postgres', 'initdb'] as const;

/** The database server of services' databases. `initdb` stands beside it. */
export const postgresServer: Tool = {
  name: 'postgres',
  title: 'PostgreSQL',
  // Debian keeps it up to date; what is kept here is a link, or what was unpacked.
  version: 'debian',
  file: 'postgres',
  variable: 'FAIRLEAD_POSTGRES',
  onPath: ['postgres'],
  probe: async (path) => {
    const output = await runProgram(path, ['--version'], { timeoutMs: 20_000 });
    const [, version = '', major] = /^postgres \(PostgreSQL\) ((\d+)\.\d+)/.exec(output) ?? [];
    if (major === undefined || Number(major) < OLDEST) {
      throw new Error(`needs PostgreSQL ${OLDEST} or later: ${output.slice(0, 80).trim()}`);
    }
    await runProgram(await initdbBeside(path), ['--version'], { timeoutMs: 20_000 });
    return version;
  },
  ways: [
    {
      name: `the installed server in ${INSTALLED}`,
      usual: '1 s',
      obtain: async (folder) => {
        const versions = await readdir(INSTALLED).catch(() => []);
        const newest = versions
          .map(Number)
          .filter((major) => major >= OLDEST)
          .sort((a, b) => b - a)[0];
        if (newest === undefined) throw new Error('none is installed');
        for (const name of PROGRAMS) await symlink(join(INSTALLED, String(newest), 'bin', name), join(folder, name));
      },
    },
    {
      name: 'Debian package postgresql (unpacked into the cache, not installed)',
      usual: '10 to 30 s',
      obtain: unpackDebianServer,
    },
  ],
  byHand:
    'install PostgreSQL 14 or later, set FAIRLEAD_POSTGRES to its program "postgres", or DB_POSTGRES_ADMIN_URI to a server',
};

/** The program that makes data folders, which belongs to the server. */
export async function initdbBeside(server: string): Promise<string> {
  return join(dirname(await realpath(server)), 'initdb');
}

async function unpackDebianServer(folder: string): Promise<void> {
  const [server] = await dependsOn('postgresql', /^postgresql-\d+$/);
  if (server === undefined) throw new Error('apt knows no PostgreSQL');
  const client = server.replace('postgresql-', 'postgresql-client-');
  const libraries = (await Promise.all([server, client].map((name) => dependsOn(name, /^lib/)))).flat();
  // Just-in-time compilation is optional, and its library is large.
  const names = [...new Set([server, client, ...libraries])].filter((name) => !/^lib(c6|llvm)/.test(name));
  await runProgram('apt-get', ['download', ...names], { cwd: folder });
  const root = join(folder, 'root');
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.deb'))) {
    await runProgram('dpkg', ['-x', join(folder, file), root]);
    await rm(join(folder, file));
  }
  const programs = join('root', INSTALLED, server.replace('postgresql-', ''), 'bin');
  for (const name of PROGRAMS) {
    // The folder is renamed once it is whole: the launcher finds itself.
    const launcher = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH=$(echo "$here"/root/usr/lib/*-linux-*) exec "$here/${programs}/${name}" "$@"
`;
    await writeFile(join(folder, name), launcher);
    await chmod(join(folder, name), 0o755);
  }
}

/** Names of packages that one depends on, of those that match. */
async function dependsOn(name: string, pattern: RegExp): Promise<string[]> {
  const text = await runProgram('apt-cache', ['depends', '--important', name]);
  const names = [...text.matchAll(/^\s*Depends: (\S+)$/gm)].map(([, found = '']) => found);
  return names.filter((found) => pattern.test(found));
}
