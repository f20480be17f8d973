import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';
import { requireServerVersion } from './temporal-version.ts';
import { githubRelease, goBuild, goPlatform } from './ways.ts';

const VERSION = '1.29.1';
const REPOSITORY = 'temporalio/temporal';

/** The Temporal server itself: the one that the Temporal CLI carries cannot ask for credentials. */
export const temporalServer: Tool = {
  name: 'temporal-server',
  title: 'Temporal server',
  version: VERSION,
  file: 'temporal-server',
  variable: 'FAIRLEAD_TEMPORAL_SERVER',
  onPath: ['temporal-server'],
  probe: async (path) => {
    const output = await runProgram(path, ['--version'], { timeoutMs: 20_000 });
    const version = /version v?(\d+)\.(\d+)\.\d+/.exec(output);
    if (!version) throw new Error(`not a Temporal server: ${output.trim().slice(0, 80)}`);
    requireServerVersion(`${version[1]}.${version[2]}`, 'is');
    return `server ${version[0].slice('version '.length)}`;
  },
  ways: [
    githubRelease(REPOSITORY, VERSION, `temporal_${VERSION}_${goPlatform()}.tar.gz`),
    goBuild(
      `go.temporal.io/server/cmd/server@v${VERSION}`,
      'temporal-server',
      '5 min, seconds where Go has built it before',
    ),
  ],
  byHand:
    'take temporal-server from a release of github.com/temporalio/temporal and put it on PATH, set FAIRLEAD_TEMPORAL_SERVER to its path, or TEMPORAL_ADDRESS to a server',
};
