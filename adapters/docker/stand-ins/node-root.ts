import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { z } from 'zod';
import { runProcess } from '../../process/run-process.ts';
import { STAND_IN_NOTE_LABEL } from '../labels.ts';
import { CERTIFICATES } from './base-root.ts';
import { debianEntries, FULL_PACKAGES, SLIM_PACKAGES } from './debian-packages.ts';
import { libraryEntries, npmPackage, type PartSource, run } from './machine-parts.ts';
import { folderEntries, type RootEntry } from './root-archive.ts';

/** The package managers of the official node images. */
export const NODE_PACKAGES = { npm: '11.19.1', corepack: '0.36.0', yarn: '1.22.22' } as const;

const DEFAULT_REGISTRY = 'https://registry.npmjs.org';

const packageManifest = z.object({ bin: z.record(z.string(), z.string()) });

/** As in the official image: an argument that is no command is run by node. */
const ENTRY_POINT = `#!/bin/sh
set -e
if [ "\${1#-}" != "\${1}" ] || [ -z "$(command -v "\${1}")" ] || { [ -f "\${1}" ] && ! [ -x "\${1}" ]; }; then
  set -- node "$@"
fi
exec "$@"
`;

/** The `slim` images run apps; the `full` ones compile native modules as well. */
export type NodeFlavour = 'slim' | 'full';

/** Debian's packages of each. */
export const NODE_DEBIAN_PACKAGES = { slim: SLIM_PACKAGES, full: FULL_PACKAGES } as const;

/** A node program of this machine. */
export interface NodeProgram {
  readonly nodePath: string;
  /** Without the `v`. */
  readonly nodeVersion: string;
}

/** Node as it runs on this machine, with npm, corepack, yarn and its headers at the paths of the official images. */
export async function nodeRoot(
  { nodePath, nodeVersion }: NodeProgram,
  flavour: NodeFlavour,
  source: PartSource,
): Promise<RootEntry[]> {
  const debian = await debianEntries(`node-${flavour}`, NODE_DEBIAN_PACKAGES[flavour], source);
  const headers = flavour === 'slim' ? [] : await nodeHeaders(nodeVersion, source);
  const npm = await packageEntries('npm', 'usr/local/lib/node_modules/npm', source);
  const corepack = await packageEntries('corepack', 'usr/local/lib/node_modules/corepack', source);
  const yarn = await packageEntries('yarn', `opt/yarn-v${NODE_PACKAGES.yarn}`, source);
  return [
    // First: where Debian's packages have them too, theirs are of one version with their loader.
    ...(await libraryEntries(nodePath, source)),
    ...debian,
    // Busybox's shell runs its own programs before those of the path.
    { path: 'bin/sh', kind: 'link', target: 'dash' },
    ...(flavour === 'slim' ? [] : COMPILER_LINKS),
    ...headers,
    { path: 'usr/local/bin/node', kind: 'file', from: nodePath, mode: 0o755 },
    { path: 'usr/local/bin/nodejs', kind: 'link', target: 'node' },
    { path: 'usr/local/bin/docker-entrypoint.sh', kind: 'text', text: ENTRY_POINT, mode: 0o755 },
    ...npm,
    ...corepack,
    ...yarn,
  ];
}

/** Links that Debian's packages leave to be made when they are installed. */
const COMPILER_LINKS: readonly RootEntry[] = [
  { path: 'usr/bin/cc', kind: 'link', target: 'gcc' },
  { path: 'usr/bin/c++', kind: 'link', target: 'g++' },
  { path: 'usr/bin/awk', kind: 'link', target: 'mawk' },
];

/**
 * The headers that native modules are compiled with, as the official images have them, and where node-gyp keeps what it
 * downloads: a machine that pulls no images mostly does not reach nodejs.org either.
 */
async function nodeHeaders(version: string, source: PartSource): Promise<RootEntry[]> {
  const folder = await npmPackage(`node-linux-${process.arch}`, version, source);
  const cache = `root/.cache/node-gyp/${version}`;
  return [
    ...(await folderEntries(join(folder, 'include'), 'usr/local/include')),
    { path: `${cache}/include`, kind: 'link', target: '/usr/local/include' },
    // The layout of the folder, by a number that no node-gyp finds too old.
    { path: `${cache}/installVersion`, kind: 'text', text: '99\n' },
  ];
}

/** How images made here reach the package registry. */
export interface RegistryFacts {
  /** Address, when it is not the public one. */
  readonly address: string | null;
  /** Whether it sends the signatures that corepack checks. */
  readonly signed: boolean;
}

/**
 * Configuration of the node stand-in, as instructions of a container file.
 *
 * Corepack refuses packages without the public registry's signatures, which mirrors often leave out. Its check is off
 * only where this machine's registry sends none, since nothing could be installed there otherwise; the packages are
 * then trusted as far as the machine's own npm trusts that registry.
 */
export function nodeConfig(nodeVersion: string, { address, signed }: RegistryFacts): string[] {
  return [
    'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    `ENV NODE_VERSION=${nodeVersion}`,
    `ENV YARN_VERSION=${NODE_PACKAGES.yarn}`,
    `ENV NODE_EXTRA_CA_CERTS=${CERTIFICATES}`,
    `ENV SSL_CERT_FILE=${CERTIFICATES}`,
    'ENV NPM_CONFIG_UPDATE_NOTIFIER=false',
    // Corepack and Node's own fetch go by the proxy of builds; without one it says nothing.
    'ENV NODE_USE_ENV_PROXY=1',
    // A build has nobody to ask.
    'ENV COREPACK_ENABLE_DOWNLOAD_PROMPT=0',
    ...(signed ? [] : ['ENV COREPACK_INTEGRITY_KEYS=0', `LABEL ${STAND_IN_NOTE_LABEL}="${UNSIGNED_NOTE}"`]),
    ...(address === null ? [] : REGISTRY_VARIABLES.map((name) => `ENV ${name}=${address}`)),
    'ENTRYPOINT ["docker-entrypoint.sh"]',
    'CMD ["node"]',
  ];
}

const UNSIGNED_NOTE = 'its package registry sends no signatures, so corepack does not check them';

const REGISTRY_VARIABLES = ['npm_config_registry', 'YARN_REGISTRY', 'COREPACK_NPM_REGISTRY'] as const;

/** What this machine's npm knows of its package registry; never credentials. */
export async function registryFacts(source: PartSource): Promise<RegistryFacts> {
  const args = ['view', 'pnpm', 'dist.signatures', '--json'];
  const { exitCode, stdout } = await runProcess('npm', args, { cwd: '/', env: source.env, signal: source.signal });
  // A registry that does not answer tells nothing: the check stays on.
  return { address: await customRegistry(source), signed: exitCode !== 0 || stdout.includes('keyid') };
}

async function customRegistry(source: PartSource): Promise<string | null> {
  const answer = (await run('npm', ['config', 'get', 'registry'], '/', source)).trim().replace(/\/+$/, '');
  if (!URL.canParse(answer)) return null;
  const url = new URL(answer);
  url.username = '';
  url.password = '';
  const registry = url.href.replace(/\/+$/, '');
  return registry === DEFAULT_REGISTRY ? null : registry;
}

async function packageEntries(
  name: keyof typeof NODE_PACKAGES,
  target: string,
  source: PartSource,
): Promise<RootEntry[]> {
  const folder = await npmPackage(name, NODE_PACKAGES[name], source);
  const manifest = packageManifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  const bins = Object.entries(manifest.bin).filter(([command]) => name !== 'corepack' || command === 'corepack');
  const programs = new Set(Object.values(manifest.bin).map((path) => posix.join(target, path)));
  const files = await folderEntries(folder, target);
  return [
    ...files.map((entry) => (entry.kind === 'file' && programs.has(entry.path) ? { ...entry, mode: 0o755 } : entry)),
    ...bins.map(([command, path]): RootEntry => {
      return { path: `usr/local/bin/${command}`, kind: 'link', target: `/${posix.join(target, path)}` };
    }),
  ];
}
