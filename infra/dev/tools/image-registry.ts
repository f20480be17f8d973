import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadFile, downloadText, githubAsset, unpackTarGz } from './download.ts';
import type { Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';
import { goBuild, goPlatform } from './ways.ts';

const VERSION = '2.8.3';
const GO_VERSION = 'v3.0.0';

/** The image registry that deploys push to. */
export const imageRegistry: Tool = {
  name: 'registry',
  title: 'Image registry',
  version: VERSION,
  file: 'registry',
  variable: 'FAIRLEAD_REGISTRY',
  onPath: ['docker-registry', 'registry'],
  probe: async (path) => {
    const output = await runProgram(path, ['--version'], { timeoutMs: 20_000 });
    const version = /distribution\S* v?(\S+)/.exec(output);
    if (!version?.[1]) throw new Error(`not an image registry: ${output.trim().slice(0, 80)}`);
    return version[1];
  },
  ways: [
    {
      name: 'official download',
      usual: '5 to 20 s',
      obtain: async (folder) => {
        const asset = `registry_${VERSION}_${goPlatform()}.tar.gz`;
        const url = githubAsset('distribution/distribution', `v${VERSION}`, asset);
        const sha256 = (await downloadText(`${url}.sha256`)).trim().split(/\s+/)[0] ?? '';
        await downloadFile(url, join(folder, 'registry.tar.gz'), sha256);
        await unpackTarGz(join(folder, 'registry.tar.gz'), folder);
      },
    },
    {
      name: 'Debian package docker-registry (unpacked into the cache, not installed)',
      usual: '5 s',
      obtain: async (folder) => {
        await runProgram('apt-get', ['download', 'docker-registry'], { cwd: folder });
        const deb = (await readdir(folder)).find((name) => name.endsWith('.deb'));
        if (!deb) throw new Error('apt-get left no package');
        await runProgram('dpkg', ['-x', join(folder, deb), folder]);
        await copyFile(join(folder, 'usr/bin/docker-registry'), join(folder, 'registry'));
      },
    },
    goBuild(`github.com/distribution/distribution/v3/cmd/registry@${GO_VERSION}`, 'registry', '2 min'),
  ],
  byHand:
    'install docker-registry (Debian) or set FAIRLEAD_REGISTRY to a distribution binary, or DOCKER_REGISTRY to a registry',
};
