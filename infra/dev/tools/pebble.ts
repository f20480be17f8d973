import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';
import { goBuild } from './ways.ts';

const VERSION = '2.10.1';

/** A certificate authority that speaks ACME and refuses a part of all nonces, for tests alone. */
export const pebble: Tool = {
  name: 'pebble',
  title: 'Pebble',
  version: VERSION,
  file: 'pebble',
  variable: 'FAIRLEAD_PEBBLE',
  onPath: ['pebble'],
  probe: async (path) => {
    const output = await runProgram('sh', ['-c', '"$0" -version 2>&1 || true', path], { timeoutMs: 20_000 });
    if (!/^Pebble version/m.test(output)) throw new Error(`not Pebble: ${output.trim().slice(0, 80)}`);
    // What Go built does not know its release.
    return /\d+\.\d+\.\d+/.exec(output)?.[0] ?? VERSION;
  },
  ways: [goBuild(`github.com/letsencrypt/pebble/v2/cmd/pebble@v${VERSION}`, 'pebble', '12 s')],
  byHand: 'take it from https://github.com/letsencrypt/pebble/releases and set FAIRLEAD_PEBBLE to its path',
};
