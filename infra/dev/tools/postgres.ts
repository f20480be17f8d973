import { readdir, realpath, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  dependenciesOf,
  newerDebianPackages,
  unpackDebianPackages,
  unpackedFiles,
  unpackedRelease,
  writeUnpackedLauncher,
} from './debian-packages.ts';
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
  newer: newerDebianPackages,
  release: (folder) => unpackedRelease(folder, /^postgresql-\d+$/),
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
      renews: true,
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

/** @param kept what is renewed: data of its major version is there, and no other one reads it */
async function unpackDebianServer(folder: string, kept?: string): Promise<void> {
  const majors = kept === undefined ? [] : await unpackedFiles(kept, INSTALLED);
  const known = kept === undefined ? await dependenciesOf(['postgresql'], /^postgresql-\d+$/) : [];
  const [server] = [...majors.map((major) => `postgresql-${major}`), ...known];
  if (server === undefined) throw new Error('apt knows no PostgreSQL');
  const packages = [server, server.replace('postgresql-', 'postgresql-client-')];
  // Just-in-time compilation is optional, and its library is large.
  const libraries = await dependenciesOf(packages, /^lib(?!llvm)/);
  await unpackDebianPackages(folder, [...packages, ...libraries]);
  const programs = join(INSTALLED, server.replace('postgresql-', ''), 'bin').slice(1);
  for (const name of PROGRAMS) await writeUnpackedLauncher(folder, name, join(programs, name));
}
