import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';
import { requireServerVersion } from './temporal-version.ts';
import { githubRelease, goBuild, goPlatform } from './ways.ts';

const VERSION = '1.5.1';
const REPOSITORY = 'temporalio/cli';

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
    requireServerVersion(`${server[1]}.${server[2]}`, 'carries');
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
