import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';
import { goBuild } from './ways.ts';

const VERSION = '0.30.2';

/** A certificate authority of another maker, for tests alone: what passes with it and with Pebble does not depend on either. */
export const stepCa: Tool = {
  name: 'step-ca',
  title: 'step-ca',
  version: VERSION,
  file: 'step-ca',
  variable: 'FAIRLEAD_STEP_CA',
  onPath: ['step-ca'],
  probe: async (path) => {
    const output = await runProgram(path, ['version'], { timeoutMs: 20_000 });
    if (!/^Smallstep CA/m.test(output)) throw new Error(`not step-ca: ${output.trim().slice(0, 80)}`);
    // What Go built does not know its release.
    return /\d+\.\d+\.\d+/.exec(output.split('\n')[0] ?? '')?.[0] ?? VERSION;
  },
  // Without cgo it needs no library of smart cards.
  ways: [
    goBuild(`github.com/smallstep/certificates/cmd/step-ca@v${VERSION}`, 'step-ca', '3 min', { CGO_ENABLED: '0' }),
  ],
  byHand: 'take it from https://github.com/smallstep/certificates/releases and set FAIRLEAD_STEP_CA to its path',
};
