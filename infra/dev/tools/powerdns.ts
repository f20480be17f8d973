import {
  dependenciesOf,
  newerDebianPackages,
  unpackDebianPackages,
  unpackedRelease,
  writeUnpackedLauncher,
} from './debian-packages.ts';
import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';

/** An authoritative DNS server with zones in SQLite and an HTTP API, for tests of the site registry. */
export const powerDns: Tool = {
  name: 'powerdns',
  title: 'PowerDNS authoritative server',
  // Debian keeps it up to date.
  version: 'debian',
  newer: newerDebianPackages,
  release: (folder) => unpackedRelease(folder, /^pdns-server$/),
  file: 'pdns_server',
  variable: 'FAIRLEAD_POWERDNS',
  onPath: ['pdns_server'],
  probe: async (path) => {
    // It tells its version as an error, and ends with 99.
    const output = await runProgram('sh', ['-c', '"$0" --version 2>&1 || true', path], { timeoutMs: 20_000 });
    const [, version] = /PowerDNS Authoritative Server (\d+\.\d+\.\d+)/.exec(output) ?? [];
    if (version === undefined) throw new Error(`is no PowerDNS authoritative server: ${output.slice(0, 80).trim()}`);
    return version;
  },
  ways: [
    {
      name: 'Debian packages pdns-server and pdns-backend-sqlite3 (unpacked into the cache, not installed)',
      usual: '5 to 20 s',
      renews: true,
      obtain: async (folder) => {
        const packages = ['pdns-server', 'pdns-backend-sqlite3'];
        await unpackDebianPackages(folder, [...packages, ...(await dependenciesOf(packages, /^lib/))]);
        await writeUnpackedLauncher(folder, 'pdns_server', 'usr/sbin/pdns_server');
      },
    },
  ],
  byHand:
    'install PowerDNS 4.7 or later with its SQLite backend, or set FAIRLEAD_POWERDNS to its program "pdns_server"',
};
