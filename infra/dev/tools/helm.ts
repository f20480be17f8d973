import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadFile, downloadText, unpackTarGz } from './download.ts';
import type { ObtainWay, Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';
import { goBuild, goPlatform } from './ways.ts';

const VERSION = '3.20.2';

/** What renders and installs the chart, for tests alone. */
export const helm: Tool = {
  name: 'helm',
  title: 'Helm',
  version: VERSION,
  file: 'helm',
  variable: 'FAIRLEAD_HELM',
  onPath: ['helm'],
  probe: async (path) => {
    const output = await runProgram(path, ['version', '--template', '{{.Version}}'], { timeoutMs: 20_000 });
    if (!/^v3\./.test(output)) throw new Error(`not Helm 3: ${output.trim().slice(0, 80)}`);
    // What Go built does not know its release.
    return /\d+\.\d+\.\d+/.exec(output)?.[0] ?? VERSION;
  },
  ways: [officialDownload(), goBuild(`helm.sh/helm/v3/cmd/helm@v${VERSION}`, 'helm', '3 min')],
  byHand: 'take it from https://github.com/helm/helm/releases and set FAIRLEAD_HELM to its path',
};

function officialDownload(): ObtainWay {
  return {
    name: 'official download',
    usual: '10 to 60 s',
    obtain: async (folder) => {
      const platform = goPlatform().replace('_', '-');
      const url = `https://get.helm.sh/helm-v${VERSION}-${platform}.tar.gz`;
      const archive = join(folder, 'helm.tar.gz');
      const [sha256 = ''] = (await downloadText(`${url}.sha256sum`)).trim().split(/\s/);
      await downloadFile(url, archive, sha256);
      await unpackTarGz(archive, folder);
      await rename(join(folder, platform, 'helm'), join(folder, 'helm'));
    },
  };
}
