import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadFile, githubAsset, githubDigest, unpackTarGz } from './download.ts';
import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';
import { goPlatform } from './temporal-cli.ts';

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
    {
      name: 'official download',
      usual: '10 to 60 s',
      obtain: async (folder) => {
        const asset = `ui-server_${VERSION}_${goPlatform()}.tar.gz`;
        const archive = join(folder, 'ui-server.tar.gz');
        const sha256 = await githubDigest(REPOSITORY, `v${VERSION}`, asset);
        await downloadFile(githubAsset(REPOSITORY, `v${VERSION}`, asset), archive, sha256);
        await unpackTarGz(archive, folder);
      },
    },
    {
      name: 'Go module build',
      usual: '2 min',
      obtain: async (folder) => {
        await runProgram('go', ['install', `github.com/${REPOSITORY}/v2/cmd/server@v${VERSION}`], {
          env: { GOBIN: folder, GOFLAGS: '' },
        });
        await rename(join(folder, 'server'), join(folder, 'ui-server'));
      },
    },
  ],
  byHand:
    'take ui-server from a release of github.com/temporalio/ui-server and set FAIRLEAD_TEMPORAL_UI_SERVER to its path, or TEMPORAL_ADDRESS to a server',
};
