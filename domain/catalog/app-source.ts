import { FairleadError } from '../errors.ts';
import { loadedPackages } from './loaded-packages.ts';
import { localDependencies } from './local-dependencies.ts';
import { readManifest } from './read-manifest.ts';
import { joinInside } from './source-path.ts';
import { EXAMPLE_FILES, readVariablesFile, SETTINGS_FILE, type VariablesFile } from './variables-file.ts';
import { workspaceFolders } from './workspace-folders.ts';

/** A read-only view of an app's source; paths are relative to the app's folder, whose own path is `''`. */
export interface SourceTree {
  /** Text of a file; null when there is none. @throws SOURCE_REFUSED for one outside the source or above the limit. */
  readText(path: string, limitBytes: number): Promise<string | null>;
  /** Names in a folder; empty when there is none. */
  list(folder: string): Promise<readonly string[]>;
}

/** What was read of an app's source: plain data, from which all else is concluded without running any of it. */
export interface AppSource {
  /**
   * Paths of everything in the app's folder, and in those of its folders that were looked into, and of the files and folders that
   * manifests name as dependencies, where they are there.
   */
  readonly files: readonly string[];
  /** Texts of the files that say how the app is built and started, by path. */
  readonly texts: Readonly<Record<string, string>>;
  /** The file of settings and the one that tells which settings there are, by path. */
  readonly variables?: Readonly<Record<string, VariablesFile>>;
  /** Packages that its code loads, as far as it was looked at. */
  readonly loaded?: readonly string[];
  /** Variables that the settings of its package manager name, such as `NPM_TOKEN`. */
  readonly registryVariables?: readonly string[];
}

/** Settings of package managers, in which registries and their tokens stand. */
const REGISTRY_SETTINGS = ['.npmrc', '.yarnrc.yml', 'bunfig.toml'];
/** A variable in them, without a value to fall back to. */
const VARIABLE = /\$\{?([A-Za-z_]\w{0,99})(?:\}|(?=[\s"'/]|$))/g;
const MAX_VARIABLES = 20;
const OF_EVERY_SHELL = new Set(['HOME', 'PATH', 'PWD', 'TMPDIR', 'USER']);

export const MANIFEST = 'package.json';

const MANIFEST_LIMIT_BYTES = 1024 * 1024;
const LOCKFILE_LIMIT_BYTES = 8 * 1024 * 1024;
const LIMIT_BYTES = 64 * 1024;

/** What package managers wrote down of an install. */
export const LOCKFILES = ['pnpm-lock.yaml', 'yarn.lock', 'package-lock.json', 'npm-shrinkwrap.json', 'bun.lock'];

/** Folders in which entry files, pages and built sites lie. */
const LOOKED_INTO = ['app', 'bin', 'build', 'dist', 'lib', 'pages', 'public', 'server', 'src'];
/** Where yarn keeps itself in a repository, and where nothing else of interest lies. */
export const YARN_RELEASES = '.yarn/releases';
/** At most so many names of a folder are kept. */
const MAX_NAMES = 1_000;
/** At most so many files and folders that manifests name are looked for. */
const MAX_LOCAL = 200;

/** Files in the app's folder that say how it is built and started, or which tools it wants. */
const TELLING: readonly RegExp[] = [
  /^\.nvmrc$|^\.node-version$|^\.tool-versions$|^\.?mise\.toml$/,
  /^Procfile$/,
  /^\.yarnrc\.yml$|^pnpm-workspace\.yaml$/,
  /^angular\.json$|^project\.json$|^tsconfig\.json$/,
  /^\.?(?:next|vite|astro|eleventy|docusaurus|gatsby|vue|svelte|nuxt|webpack)(?:[.-]config)?\.(?:js|cjs|mjs|ts|mts|cts)$/,
  /^wrangler\.(?:toml|json|jsonc)$/,
];

/** Reads what decides how an app is built and started. Only the manifest must be readable: all else is a help. */
export async function readAppSource(tree: SourceTree): Promise<AppSource> {
  const root = (await tree.list('')).slice(0, MAX_NAMES);
  const inner = await Promise.all(
    lookedInto(root).map(async (folder) =>
      (await tree.list(folder)).slice(0, MAX_NAMES).map((name) => `${folder}/${name}`),
    ),
  );
  const manifest = await tree.readText(MANIFEST, MANIFEST_LIMIT_BYTES);
  const telling = root.filter((name) => LOCKFILES.includes(name) || TELLING.some((pattern) => pattern.test(name)));
  const read = await Promise.all(telling.map(async (name) => [name, await readOrSkip(tree, name)] as const));
  const known = [[MANIFEST, manifest] as const, ...read].filter(isText);
  const texts = Object.fromEntries(known);
  const members = (await workspaceFolders(tree, texts)).map((folder) => `${folder}/${MANIFEST}`);
  const manifests = await Promise.all(members.map(async (path) => [path, await readOrSkip(tree, path)] as const));
  const ofMembers = manifests.filter(isText);
  const files = [...root, ...inner.flat(), ...members];
  return {
    files: [...files, ...(await localPaths(tree, files, [[MANIFEST, manifest ?? '{}'], ...ofMembers]))],
    texts: { ...texts, ...Object.fromEntries(ofMembers) },
    variables: await readVariables(tree, root),
    registryVariables: await registryVariables(tree, root),
    loaded: await loadedPackages(
      { list: (folder) => orSkip(tree.list(folder), []), readText: (path) => readOrSkip(tree, path) },
      root,
    ),
  };
}

/** Files and folders that manifests name as dependencies, and that are there beside those that are known. */
async function localPaths(
  tree: SourceTree,
  known: readonly string[],
  manifests: readonly (readonly [path: string, text: string])[],
): Promise<readonly string[]> {
  const named = manifests.flatMap(([path, text]) =>
    localDependencies(readManifest(text, []), path.slice(0, -MANIFEST.length - 1)).flatMap((one) => one.path ?? []),
  );
  const wanted = [...new Set(named)].slice(0, MAX_LOCAL).filter((path) => !known.includes(path));
  const found: string[] = [];
  for (const path of wanted) {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    if ((await orSkip(tree.list(joinInside(...parts)), [])).includes(name)) found.push(path);
  }
  return found;
}

function lookedInto(root: readonly string[]): readonly string[] {
  const folders = LOOKED_INTO.filter((folder) => root.includes(folder));
  return root.includes('.yarn') ? [...folders, YARN_RELEASES] : folders;
}

/** Names alone: the files may hold the tokens themselves. */
async function registryVariables(tree: SourceTree, root: readonly string[]): Promise<readonly string[]> {
  const present = REGISTRY_SETTINGS.filter((name) => root.includes(name));
  const texts = await Promise.all(present.map((name) => readOrSkip(tree, name)));
  const names = texts.flatMap((text) => [...(text ?? '').matchAll(VARIABLE)].map(([, name = '']) => name));
  return [...new Set(names)].filter((name) => !OF_EVERY_SHELL.has(name)).slice(0, MAX_VARIABLES);
}

async function readVariables(tree: SourceTree, root: readonly string[]): Promise<Record<string, VariablesFile>> {
  const names = [SETTINGS_FILE, EXAMPLE_FILES.find((name) => root.includes(name)) ?? ''].filter((name) =>
    root.includes(name),
  );
  const read = await Promise.all(names.map(async (name) => [name, await readOrSkip(tree, name)] as const));
  return Object.fromEntries(read.filter(isText).map(([name, text]) => [name, readVariablesFile(text)]));
}

const isText = (entry: readonly [string, string | null]): entry is [string, string] => entry[1] !== null;

/** A folder of such a name, or a link to elsewhere, says nothing. */
function readOrSkip(tree: SourceTree, path: string): Promise<string | null> {
  return orSkip(tree.readText(path, LOCKFILES.includes(path) ? LOCKFILE_LIMIT_BYTES : LIMIT_BYTES), null);
}

async function orSkip<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'SOURCE_REFUSED') return otherwise;
    throw error;
  }
}
