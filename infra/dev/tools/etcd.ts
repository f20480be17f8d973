import { unpackDebianPackages, unpackedRelease, writeUnpackedLauncher } from './debian-packages.ts';
import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';

/** The database of a cluster. */
export const etcd: Tool = {
  name: 'etcd',
  title: 'etcd',
  version: 'debian',
  release: (folder) => unpackedRelease(folder, /^etcd-server$/),
  file: 'etcd',
  variable: 'FAIRLEAD_ETCD',
  onPath: ['etcd'],
  probe: async (path) => {
    const output = await runProgram(path, ['--version'], { timeoutMs: 20_000 });
    const [, version] = /^etcd Version: (\S+)/m.exec(output) ?? [];
    if (version === undefined) throw new Error(`not an etcd: ${output.slice(0, 80).trim()}`);
    return version;
  },
  ways: [
    {
      name: 'Debian package etcd-server (unpacked into the cache, not installed)',
      usual: '5 to 20 s',
      obtain: async (folder) => {
        // It needs no library but the machine's own.
        await unpackDebianPackages(folder, ['etcd-server']);
        await writeUnpackedLauncher(folder, 'etcd', 'usr/bin/etcd');
      },
    },
  ],
  byHand: 'install etcd 3.4 or later, or set FAIRLEAD_ETCD to its program',
};
