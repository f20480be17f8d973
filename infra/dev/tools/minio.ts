import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadFile, downloadText } from './download.ts';
import type { ObtainWay, Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';
import { goBuild, goPlatform } from './ways.ts';

const VERSION = '20260212';
/** Later releases have no tags that Go could name. */
const MODULE = 'github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c';
/** The last that was published as a program: since then MinIO is published as source alone. */
const LAST_PROGRAM = 'RELEASE.2025-09-07T16-13-09Z';

/** The object store of the embedded stack. */
export const minio: Tool = {
  name: 'minio',
  title: 'MinIO',
  version: VERSION,
  file: 'minio',
  variable: 'FAIRLEAD_MINIO',
  onPath: ['minio'],
  probe: async (path) => {
    const output = await runProgram(path, ['--version'], { timeoutMs: 20_000 });
    const version = /^minio version (\S+)/.exec(output)?.[1];
    if (version === undefined) throw new Error(`not MinIO: ${output.trim().slice(0, 80)}`);
    // What Go built does not know its release.
    return version.startsWith('DEVELOPMENT') ? VERSION : version;
  },
  // The source first: what was fixed after the last program, a way around policies of sessions among it, is there alone.
  ways: [goBuild(MODULE, 'minio', '5 min'), lastProgram()],
  byHand:
    'install Go, or set FAIRLEAD_MINIO to a MinIO program, or OBJECT_STORE_HOST to an object store that speaks S3',
};

function lastProgram(): ObtainWay {
  return {
    name: 'official download of the last published program',
    usual: '10 to 60 s',
    obtain: async (folder) => {
      const platform = goPlatform().replace('_', '-');
      const url = `https://dl.min.io/server/minio/release/${platform}/archive/minio.${LAST_PROGRAM}`;
      const [sha256 = ''] = (await downloadText(`${url}.sha256sum`)).trim().split(/\s+/);
      await downloadFile(url, join(folder, 'minio'), sha256);
      await chmod(join(folder, 'minio'), 0o755);
    },
  };
}
