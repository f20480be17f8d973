import { constants, copyFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';

const VERSION = '1.7.1';
const require = createRequire(import.meta.url);

/** Anvil of Foundry: an Ethereum chain of one node, for the two chains that the audit ledger anchors on. */
export const anvil: Tool = {
  name: 'anvil',
  title: 'Anvil',
  version: VERSION,
  file: 'anvil',
  variable: 'FAIRLEAD_ANVIL',
  // What npm puts on PATH is a script that starts the program: one process more, and signals that do not arrive.
  onPath: [],
  probe: async (path) => {
    const output = await runProgram(path, ['--version'], { timeoutMs: 20_000 });
    const version = /anvil Version: (\d+\.\d+\.\d+)/i.exec(output)?.[1];
    if (version === undefined) throw new Error(`not Anvil: ${output.trim().slice(0, 80)}`);
    return version;
  },
  ways: [
    {
      name: 'npm package',
      usual: '1 s',
      obtain: async (folder) => {
        const suffix = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
        // Resolved beside the package that depends on it, wherever the package manager put both.
        const parent = createRequire(require.resolve('@foundry-rs/anvil/package.json'));
        const program = parent.resolve(`@foundry-rs/anvil-${suffix}/bin/anvil`);
        await copyFile(program, join(folder, 'anvil'), constants.COPYFILE_FICLONE);
      },
    },
  ],
  byHand: 'install Foundry from https://getfoundry.sh and set FAIRLEAD_ANVIL to the path of its anvil',
};
