import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';
import { githubRelease, goBuild, goPlatform } from './ways.ts';

const VERSION = '1.5.1';
const REPOSITORY = 'temporalio/cli';
const OLDEST_SERVER: readonly [number, number] = [1, 28];

/** The Temporal CLI with the development server, for tests of single modules: it asks nobody for credentials. */
export const temporalCli: Tool = {
  name: 'temporal',
  title: 'Temporal CLI',
  version: VERSION,
  file: 'temporal',
  variable: 'FAIRLEAD_TEMPORAL',
  onPath: ['temporal'],
  probe: async (path) => {
    const output = await runProgram(path, ['--version'], { timeoutMs: 20_000 });
    const server = /Server (\d+)\.(\d+)\.\d+/.exec(output);
    if (!server) throw new Error(`not a Temporal CLI: ${output.trim().slice(0, 80)}`);
    const [major, minor] = [Number(server[1]), Number(server[2])];
    // Update-with-start, which every deploy begins with, is on by default from this server on.
    if (major === OLDEST_SERVER[0] && minor < OLDEST_SERVER[1]) {
      throw new Error(`carries server ${major}.${minor}, needs ${OLDEST_SERVER.join('.')} or later`);
    }
    return `server ${server[0].slice('Server '.length)}`;
  },
  ways: [
    githubRelease(REPOSITORY, VERSION, `temporal_cli_${VERSION}_${goPlatform()}.tar.gz`),
    goBuild(
      `github.com/temporalio/cli/cmd/temporal@v${VERSION}`,
      'temporal',
      '5 min, seconds where Go has built it before',
    ),
  ],
  byHand: 'install it from https://docs.temporal.io/cli and put it on PATH, or set FAIRLEAD_TEMPORAL to its path',
};
