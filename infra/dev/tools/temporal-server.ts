import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';
import { githubRelease, goBuild, goPlatform } from './ways.ts';

const VERSION = '1.29.1';
const REPOSITORY = 'temporalio/temporal';
const OLDEST: readonly [number, number] = [1, 28];

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
    const [major, minor] = [Number(version[1]), Number(version[2])];
    // Update-with-start, which every deploy begins with, is on by default from this server on.
    if (major === OLDEST[0] && minor < OLDEST[1]) {
      throw new Error(`is server ${major}.${minor}, needs ${OLDEST.join('.')} or later`);
    }
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
