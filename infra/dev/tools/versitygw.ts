import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';
import { goBuild } from './ways.ts';

const VERSION = '1.8.0';

/** An S3 server on a folder, for tests alone: what passes on it and on MinIO does not depend on either. */
export const versitygw: Tool = {
  name: 'versitygw',
  title: 'Versity S3 Gateway',
  version: VERSION,
  file: 'versitygw',
  variable: 'FAIRLEAD_VERSITYGW',
  onPath: ['versitygw'],
  probe: async (path) => {
    const output = await runProgram(path, ['--version'], { timeoutMs: 20_000 });
    if (!/version/i.test(output)) throw new Error(`not Versity S3 Gateway: ${output.trim().slice(0, 80)}`);
    return /\d+\.\d+\.\d+/.exec(output)?.[0] ?? VERSION;
  },
  ways: [goBuild(`github.com/versity/versitygw/cmd/versitygw@v${VERSION}`, 'versitygw', '3 min')],
  byHand: 'take it from https://github.com/versity/versitygw/releases and set FAIRLEAD_VERSITYGW to its path',
};
