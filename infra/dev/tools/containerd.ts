import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dependenciesOf, unpackDebianPackages, unpackedRelease } from './debian-packages.ts';
import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';

const PACKAGES = ['containerd', 'runc', 'containernetworking-plugins', 'busybox-static', 'iptables'];
/** Programs of the packages, by the place where they lie in them. */
const PROGRAMS = {
  containerd: 'usr/bin/containerd',
  'containerd-shim-runc-v2': 'usr/bin/containerd-shim-runc-v2',
  ctr: 'usr/bin/ctr',
  runc: 'usr/sbin/runc',
};
/** One program that is told by its first word which of them it is. */
const IPTABLES = ['iptables', 'iptables-save', 'iptables-restore', 'ip6tables', 'ip6tables-save', 'ip6tables-restore'];
const TABLES = 'usr/sbin/xtables-nft-multi';

/** Where a folder of this tool has the network plugins and a static busybox; the programs of a node lie in it. */
export const NODE_PLACES = { plugins: 'root/usr/lib/cni', busybox: 'root/bin/busybox' } as const;

/**
 * What runs the containers of a node, with its network plugins and iptables: one folder of packages of one release fits
 * together, and leaves the machine's own engine alone.
 */
export const containerd: Tool = {
  name: 'containerd',
  title: 'containerd',
  version: 'debian',
  release: (folder) => unpackedRelease(folder, /^containerd$/),
  file: 'containerd',
  variable: 'FAIRLEAD_CONTAINERD',
  onPath: [],
  probe: async (path) => {
    const output = await runProgram(path, ['--version'], { timeoutMs: 20_000 });
    const [, version] = /^containerd \S+ v?(\d\S*)/.exec(output) ?? [];
    if (version === undefined) throw new Error(`not a containerd: ${output.slice(0, 80).trim()}`);
    return version;
  },
  ways: [
    {
      name: 'Debian packages containerd, runc, containernetworking-plugins, iptables and busybox-static (unpacked into the cache, not installed)',
      usual: '10 to 40 s',
      obtain: async (folder) => {
        await unpackDebianPackages(folder, [...PACKAGES, ...(await dependenciesOf(PACKAGES, /^lib/))]);
        for (const [name, program] of Object.entries(PROGRAMS)) await writeProgram(folder, name, program, []);
        for (const name of IPTABLES) await writeProgram(folder, name, TABLES, [name]);
      },
    },
  ],
  byHand: 'apt-get must be able to download these packages',
};

/** An executable that runs an unpacked program with the libraries and the modules of iptables unpacked beside it. */
async function writeProgram(folder: string, name: string, program: string, args: readonly string[]): Promise<void> {
  const launcher = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
libraries=$(echo "$here"/root/usr/lib/*-linux-*)
export XTABLES_LIBDIR="$libraries/xtables"
LD_LIBRARY_PATH="$libraries:$(echo "$here"/root/lib/*-linux-*)" exec "$here/root/${program}" ${args.join(' ')} "$@"
`;
  await writeFile(join(folder, name), launcher);
  await chmod(join(folder, name), 0o755);
}
