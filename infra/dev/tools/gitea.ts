import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadFile, downloadText } from './download.ts';
import type { ObtainWay, Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';

const VERSION = '1.25.4';
const MODULE = 'code.gitea.io/gitea';
/** What the program reads beside itself, where it was not built into it. */
export const GITEA_STATIC = 'static';

/** A git host with an API, hooks, statuses and collaborators, for tests alone. */
export const gitea: Tool = {
  name: 'gitea',
  title: 'Gitea',
  version: VERSION,
  file: 'gitea',
  variable: 'FAIRLEAD_GITEA',
  onPath: [],
  probe: async (path) => {
    const output = await runProgram(path, ['--version'], { timeoutMs: 20_000 });
    const version = /gitea version (\S+)/i.exec(output);
    if (!version?.[1]) throw new Error(`not a Gitea: ${output.trim().slice(0, 80)}`);
    return version[1];
  },
  ways: [officialDownload(), moduleBuild()],
  byHand: 'take it from https://dl.gitea.com/gitea and set FAIRLEAD_GITEA to its path',
};

function officialDownload(): ObtainWay {
  return {
    name: 'official download',
    usual: '10 to 60 s',
    obtain: async (folder) => {
      const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
      const url = `https://dl.gitea.com/gitea/${VERSION}/gitea-${VERSION}-${platform}`;
      const [sha256 = ''] = (await downloadText(`${url}.sha256`)).trim().split(/\s+/);
      await downloadFile(url, join(folder, 'gitea'), sha256);
      await chmod(join(folder, 'gitea'), 0o755);
    },
  };
}

/**
 * Its module cannot be installed by itself: what it replaces counts in a main module alone, so one is made that says the
 * same. The module has no page scripts, which only a browser would miss.
 */
function moduleBuild(): ObtainWay {
  return {
    name: 'Go module build',
    usual: '5 min, seconds where Go has built it before',
    obtain: async (folder) => {
      const module = join(folder, 'module');
      await mkdir(module);
      const env = { GOFLAGS: '-mod=mod' };
      const go = (...args: readonly string[]) => runProgram('go', args, { cwd: module, env, keepOutput: true });
      await writeFile(join(module, 'go.mod'), 'module build\n');
      const source = JSON.parse(jsonOf(await go('mod', 'download', '-json', `${MODULE}@v${VERSION}`))).Dir as string;
      await writeFile(join(module, 'go.mod'), mainModule(await readFile(join(source, 'go.mod'), 'utf8')));
      await writeFile(join(module, 'go.sum'), await readFile(join(source, 'go.sum')));
      const version = ['-ldflags', `-X main.Version=${VERSION}`];
      await go('build', '-tags', 'sqlite sqlite_unlock_notify', ...version, '-o', join(folder, 'gitea'), MODULE);
      for (const name of ['templates', 'options', 'public']) {
        await cp(join(source, name), join(folder, GITEA_STATIC, name), { recursive: true });
      }
      // Files of the module cache are read-only, and the folders as well.
      await runProgram('chmod', ['-R', 'u+w', folder]);
      await rm(module, { recursive: true });
    },
  };
}

/** A module whose one requirement is Gitea, with what Gitea replaces and excludes. */
function mainModule(of: string): string {
  const lines = of.split('\n');
  const go = lines.filter((line) => line.startsWith('go '));
  const rules = lines.filter((line) => /^(replace|exclude) \S/.test(line));
  return ['module build', ...go, `require ${MODULE} v${VERSION}`, ...rules, ''].join('\n');
}

/** What is written before it tells of downloads. */
function jsonOf(output: string): string {
  return output.slice(output.indexOf('{'));
}
