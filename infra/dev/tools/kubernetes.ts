import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { downloadFile, downloadText } from './download.ts';
import type { ObtainWay, Tool } from './resolve-tool.ts';
import { runProgram } from './run-program.ts';

/** Not later: from 1.35 on, a node needs control groups of version 2 and containerd 2. */
export const KUBERNETES_VERSION = '1.34.4';
const MODULE = 'k8s.io/kubernetes';
/** The libraries of a release have its number with 0 in front. */
const LIBRARIES = `v${KUBERNETES_VERSION.replace(/^1/, '0')}`;

export const KUBERNETES_PROGRAMS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'kube-proxy',
] as const;

/** The programs of a cluster, in one folder; the path is that of the API server. */
export const kubernetes: Tool = {
  name: 'kubernetes',
  title: 'Kubernetes',
  version: KUBERNETES_VERSION,
  file: 'kube-apiserver',
  variable: 'FAIRLEAD_KUBE_APISERVER',
  onPath: [],
  probe: async (path) => {
    const versions = await Promise.all(
      KUBERNETES_PROGRAMS.map(async (name) => {
        const output = await runProgram(join(dirname(path), name), ['--version'], { timeoutMs: 60_000 });
        const [, version] = /^Kubernetes v(\S+)/.exec(output) ?? [];
        if (version === undefined) throw new Error(`${name} is no program of Kubernetes: ${output.slice(0, 80)}`);
        return version;
      }),
    );
    return [...new Set(versions)].join(', ');
  },
  ways: [officialDownload(), moduleBuild()],
  byHand: `take the programs of version ${KUBERNETES_VERSION} from https://dl.k8s.io into one folder, and set FAIRLEAD_KUBE_APISERVER to the path of kube-apiserver there`,
};

function officialDownload(): ObtainWay {
  return {
    name: 'official download',
    usual: '30 to 120 s',
    obtain: async (folder) => {
      const platform = `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`;
      for (const name of KUBERNETES_PROGRAMS) {
        const url = `https://dl.k8s.io/release/v${KUBERNETES_VERSION}/bin/${platform}/${name}`;
        const sha256 = (await downloadText(`${url}.sha256`)).trim();
        await downloadFile(url, join(folder, name), sha256);
        await chmod(join(folder, name), 0o755);
      }
    },
  };
}

/** Its module cannot be installed by itself: it takes its libraries from folders beside it, which other modules have published. */
function moduleBuild(): ObtainWay {
  return {
    name: 'Go module build',
    usual: '10 to 20 min, once',
    obtain: async (folder) => {
      const module = join(folder, 'module');
      await mkdir(module);
      const env = { GOFLAGS: '-mod=mod' };
      const go = (...args: readonly string[]) => runProgram('go', args, { cwd: module, env, keepOutput: true });
      await writeFile(join(module, 'go.mod'), 'module build\n');
      const downloaded = await go('mod', 'download', '-json', `${MODULE}@v${KUBERNETES_VERSION}`);
      const source = JSON.parse(downloaded.slice(downloaded.indexOf('{'))).Dir as string;
      await writeFile(join(module, 'go.mod'), mainModule(await readFile(join(source, 'go.mod'), 'utf8')));
      await writeFile(join(module, 'go.sum'), await readFile(join(source, 'go.sum')));
      const packages = KUBERNETES_PROGRAMS.map((name) => `${MODULE}/cmd/${name}`);
      await go('build', '-ldflags', linkerFlags(), '-o', `${folder}/`, ...packages);
      await rm(module, { recursive: true });
    },
  };
}

/** A module whose one requirement is Kubernetes, with its libraries as they are published. */
export function mainModule(of: string): string {
  const [, go = '1.24.0'] = /^go (\S+)$/m.exec(of) ?? [];
  const [, debug] = /^godebug (default=\S+)$/m.exec(of) ?? [];
  const libraries = [...of.matchAll(/^\s*(?:replace )?(k8s\.io\/\S+) => \.\/staging\/\S+$/gm)].map(([, name]) => name);
  return [
    'module build',
    `go ${go}`,
    ...(debug === undefined ? [] : [`godebug ${debug}`]),
    `require ${MODULE} v${KUBERNETES_VERSION}`,
    ...libraries.map((name) => `replace ${name} => ${name} ${LIBRARIES}`),
    '',
  ].join('\n');
}

/** By which programs know their version. */
function linkerFlags(): string {
  const [major, minor] = KUBERNETES_VERSION.split('.');
  const known = { gitVersion: `v${KUBERNETES_VERSION}`, gitMajor: major, gitMinor: minor, gitTreeState: 'archive' };
  const places = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  return places
    .flatMap((place) => Object.entries(known).map(([name, value]) => `-X ${place}.${name}=${value}`))
    .concat('-s -w')
    .join(' ');
}
