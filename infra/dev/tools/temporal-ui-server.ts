import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';
import { githubRelease, goBuild, goPlatform } from './ways.ts';

const VERSION = '2.42.1';
const REPOSITORY = 'temporalio/ui-server';

/** The web UI of Temporal. */
export const temporalUiServer: Tool = {
  name: 'temporal-ui-server',
  title: 'Temporal UI',
  version: VERSION,
  file: 'ui-server',
  variable: 'FAIRLEAD_TEMPORAL_UI_SERVER',
  // Its usual name, `ui-server`, says too little to be taken for it.
  onPath: ['temporal-ui-server'],
  probe: async (path) => {
    const output = await runProgram(path, ['--version'], { timeoutMs: 20_000 });
    const version = /Temporal UI version v?(\S+)/.exec(output);
    if (!version?.[1]) throw new Error(`not a Temporal UI: ${output.trim().slice(0, 80)}`);
    return `UI ${version[1]}`;
  },
  ways: [
    githubRelease(REPOSITORY, VERSION, `ui-server_${VERSION}_${goPlatform()}.tar.gz`),
    goBuild(`github.com/${REPOSITORY}/v2/cmd/server@v${VERSION}`, 'ui-server', '2 min'),
  ],
  byHand:
    'take ui-server from a release of github.com/temporalio/ui-server and set FAIRLEAD_TEMPORAL_UI_SERVER to its path, or TEMPORAL_ADDRESS to a server',
};
