import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadFile, githubAsset, githubDigest, unpackTarGz } from './download.ts';
import type { ObtainWay } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';

/** Platform and architecture as Go projects name their release files: `linux_amd64`. */
export function goPlatform(): string {
  return `${process.platform}_${process.arch === 'x64' ? 'amd64' : process.arch}`;
}

/** An archive of a GitHub release, checked against the digest that GitHub tells. @param asset such as `cli_1.5.1_linux_amd64.tar.gz` */
export function githubRelease(repository: string, version: string, asset: string): ObtainWay {
  return {
    name: 'official download',
    usual: '10 to 60 s',
    obtain: async (folder) => {
      const archive = join(folder, 'release.tar.gz');
      const sha256 = await githubDigest(repository, `v${version}`, asset);
      await downloadFile(githubAsset(repository, `v${version}`, asset), archive, sha256);
      await unpackTarGz(archive, folder);
    },
  };
}

/**
 * A build of a Go program from the module proxy. Go names it as the last part of its path, `file` as the tool is called.
 * @param program path and version, such as `github.com/temporalio/cli/cmd/temporal@v1.5.1`
 * @param env of the build besides
 */
export function goBuild(
  program: string,
  file: string,
  usual: string,
  env: Readonly<Record<string, string>> = {},
): ObtainWay {
  return {
    name: 'Go module build',
    usual,
    obtain: async (folder) => {
      await runProgram('go', ['install', program], { env: { ...env, GOBIN: folder, GOFLAGS: '' } });
      const made = program.split('@')[0]?.split('/').at(-1) ?? file;
      if (made !== file) await rename(join(folder, made), join(folder, file));
    },
  };
}
