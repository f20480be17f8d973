import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadFile, githubAsset, githubDigest, unpackTarGz } from './download.ts';
import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';
import { goPlatform } from './temporal-cli.ts';

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
    {
      name: 'official download',
      usual: '10 to 60 s',
      obtain: async (folder) => {
        const asset = `temporal_${VERSION}_${goPlatform()}.tar.gz`;
        const archive = join(folder, 'temporal.tar.gz');
        const sha256 = await githubDigest(REPOSITORY, `v${VERSION}`, asset);
        await downloadFile(githubAsset(REPOSITORY, `v${VERSION}`, asset), archive, sha256);
        await unpackTarGz(archive, folder);
      },
    },
    {
      name: 'Go module build',
      usual: '5 min, seconds where Go has built it before',
      obtain: async (folder) => {
        await runProgram('go', ['install', `go.temporal.io/server/cmd/server@v${VERSION}`], {
          env: { GOBIN: folder, GOFLAGS: '' },
        });
        await rename(join(folder, 'server'), join(folder, 'temporal-server'));
      },
    },
  ],
  byHand:
    'take temporal-server from a release of github.com/temporalio/temporal and put it on PATH, set FAIRLEAD_TEMPORAL_SERVER to its path, or TEMPORAL_ADDRESS to a server',
};
