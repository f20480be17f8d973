import { chmod, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { downloadFile, downloadText, unpackTarGz } from './download.ts';
import type { ObtainWay, Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';

const VERSION = '100.10.0';
const MODULE = 'github.com/mongodb/mongo-tools';
/** The commit of the release: its tags have no `v`, by which Go would know them. */
const MODULE_VERSION = 'v0.0.0-20240723193119-837c2bc263f4';
const FEED = 'https://downloads.mongodb.org/tools/db/full.json';
const PROGRAMS = ['mongodump', 'mongorestore'] as const;

/** What backs up MongoDB: `mongodump`, with `mongorestore` beside it. */
export const mongoTools: Tool = {
  name: 'mongo-tools',
  title: 'MongoDB database tools',
  version: VERSION,
  file: 'mongodump',
  variable: 'FAIRLEAD_MONGODUMP',
  onPath: ['mongodump'],
  probe: async (path) => {
    const version = await versionOf('mongodump', path);
    await versionOf('mongorestore', await mongorestoreBeside(path));
    return version;
  },
  ways: [officialDownload(), moduleBuild()],
  byHand:
    'install the MongoDB database tools or Go, or set FAIRLEAD_MONGODUMP to a mongodump with a mongorestore beside it',
};

/** The program that restores, which belongs to the one that dumps. */
export async function mongorestoreBeside(mongodump: string): Promise<string> {
  return join(dirname(await realpath(mongodump)), 'mongorestore');
}

async function versionOf(name: (typeof PROGRAMS)[number], path: string): Promise<string> {
  const output = await runProgram(path, ['--version'], { timeoutMs: 20_000 });
  const version = new RegExp(`^${name} version: (\\S+)`).exec(output)?.[1];
  if (version === undefined) throw new Error(`not ${name}: ${output.trim().slice(0, 80)}`);
  return version;
}

/** What MongoDB publishes of its tools: each program of each version, with its checksum. */
const feed = z.object({
  versions: z.array(
    z.object({
      version: z.string(),
      downloads: z.array(
        z.object({ name: z.string(), arch: z.string(), archive: z.object({ url: z.string(), sha256: z.string() }) }),
      ),
    }),
  ),
});

function officialDownload(): ObtainWay {
  return {
    name: 'official download',
    usual: '10 to 60 s',
    obtain: async (folder) => {
      const { versions } = feed.parse(JSON.parse(await downloadText(FEED)));
      const system = await systemName();
      const arches = process.arch === 'x64' ? ['x86_64'] : ['arm64', 'aarch64'];
      const found = versions
        .find(({ version }) => version === VERSION)
        ?.downloads.find(({ name, arch }) => name === system && arches.includes(arch));
      if (found === undefined) throw new Error(`there are none of version ${VERSION} for ${system} on ${process.arch}`);
      const { url, sha256 } = found.archive;
      if (!url.endsWith('.tgz')) throw new Error(`those for ${system} are no .tgz`);
      const archive = join(folder, 'tools.tgz');
      await downloadFile(url.startsWith('https://') ? url : `https://${url}`, archive, sha256);
      const unpacked = join(folder, 'unpacked');
      await mkdir(unpacked);
      await unpackTarGz(archive, unpacked);
      const [release = ''] = await readdir(unpacked);
      for (const name of PROGRAMS) {
        await rename(join(unpacked, release, 'bin', name), join(folder, name));
        await chmod(join(folder, name), 0o755);
      }
      await rm(unpacked, { recursive: true });
      await rm(archive);
    },
  };
}

/** As MongoDB names systems: `debian12`, `ubuntu2204`, `rhel93`, `macos`. */
async function systemName(): Promise<string> {
  if (process.platform === 'darwin') return 'macos';
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const field = (name: string): string => new RegExp(`^${name}="?([^"\n]*)"?$`, 'm').exec(release)?.[1] ?? '';
  return `${field('ID')}${field('VERSION_ID').replaceAll('.', '')}`;
}

/** Go installs no program whose module has no version that Go knows, so a module is made that requires it. */
function moduleBuild(): ObtainWay {
  return {
    name: 'Go module build',
    usual: '1 min',
    obtain: async (folder) => {
      const module = join(folder, 'module');
      await mkdir(module);
      await writeFile(join(module, 'go.mod'), `module build\n\ngo 1.21\n\nrequire ${MODULE} ${MODULE_VERSION}\n`);
      const flags = ['-ldflags', `-X main.VersionStr=${VERSION}`];
      for (const name of PROGRAMS) {
        const args = ['build', ...flags, '-o', join(folder, name), `${MODULE}/${name}/main`];
        await runProgram('go', args, { cwd: module, env: { GOFLAGS: '-mod=mod' } });
      }
      await rm(module, { recursive: true });
    },
  };
}
