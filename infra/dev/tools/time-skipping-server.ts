import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadFile, githubAsset, githubDigest, unpackTarGz } from './download.ts';
import { copyJars, probeLauncher, requireJava, writeLauncher } from './java.ts';
import type { Tool } from './resolve-tool.ts';
import { goPlatform } from './ways.ts';

const VERSION = '1.38.0';
const REPOSITORY = 'temporalio/sdk-java';

/** Temporal's test server, which skips time so that a day of a workflow passes in a moment. */
export const timeSkippingServer: Tool = {
  name: 'temporal-test-server',
  title: 'Temporal time-skipping test server',
  version: VERSION,
  file: 'temporal-test-server',
  variable: 'FAIRLEAD_TEST_SERVER',
  onPath: ['temporal-test-server'],
  probe: async (path) => {
    // The native program and the launcher have no version flag; only the launcher has parts that can be missing.
    if (path.includes(`${VERSION}/`) && (await isScript(path))) await probeLauncher(path);
    return VERSION;
  },
  ways: [
    {
      name: 'official download',
      usual: '10 to 30 s',
      obtain: async (folder) => {
        const base = `temporal-test-server_${VERSION}_${goPlatform()}`;
        const archive = join(folder, 'server.tar.gz');
        const sha256 = await githubDigest(REPOSITORY, `v${VERSION}`, `${base}.tar.gz`);
        await downloadFile(githubAsset(REPOSITORY, `v${VERSION}`, `${base}.tar.gz`), archive, sha256);
        await unpackTarGz(archive, folder);
        await rename(join(folder, base, 'temporal-test-server'), join(folder, 'temporal-test-server'));
      },
    },
    {
      name: 'Maven artifacts',
      usual: '25 s',
      obtain: async (folder) => {
        await requireJava();
        await copyJars(folder, [{ group: 'io.temporal', artifact: 'temporal-test-server', version: VERSION }]);
        const flags = ['-Xmx384m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
        await writeLauncher(join(folder, 'temporal-test-server'), flags, 'io.temporal.testserver.TestServer');
      },
    },
  ],
  byHand:
    'install Java 11 or later and Maven, or take temporal-test-server from https://github.com/temporalio/sdk-java/releases and set FAIRLEAD_TEST_SERVER to its path',
};

async function isScript(path: string): Promise<boolean> {
  const { open } = await import('node:fs/promises');
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return buffer.toString() === '#!';
  } finally {
    await file.close();
  }
}
