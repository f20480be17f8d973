import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';

const VERSION = '4.32.5';

/** Its packages are in the folder beside it, wherever that lies. */
const LAUNCHER = `#!/bin/sh
PYTHONPATH="$(dirname "$0")/lib" exec python3 -c 'from schemathesis.cli import schemathesis; schemathesis()' "$@"
`;

/** Sends what an OpenAPI document allows, and more, to a service, for tests: no answer may be one that the document does not have. */
export const schemathesis: Tool = {
  name: 'schemathesis',
  title: 'Schemathesis',
  version: VERSION,
  file: 'schemathesis',
  variable: 'FAIRLEAD_SCHEMATHESIS',
  onPath: ['schemathesis'],
  probe: async (path) => {
    const output = await runProgram(path, ['--version'], { timeoutMs: 60_000 });
    const version = /version (4\.\d+\.\d+)/.exec(output)?.[1];
    if (version === undefined) throw new Error(`not Schemathesis 4: ${output.trim().slice(0, 80)}`);
    return version;
  },
  ways: [
    {
      name: 'Python packages (in the cache alone)',
      usual: '20 to 60 s',
      obtain: async (folder) => {
        const packages = ['--target', join(folder, 'lib'), `schemathesis==${VERSION}`];
        await runProgram('python3', ['-m', 'pip', 'install', '--quiet', '--no-input', ...packages]);
        const launcher = join(folder, 'schemathesis');
        await writeFile(launcher, LAUNCHER);
        await chmod(launcher, 0o755);
      },
    },
  ],
  byHand:
    'install it with "pipx install schemathesis" (Python 3.10 or later), or set FAIRLEAD_SCHEMATHESIS to its path',
};
