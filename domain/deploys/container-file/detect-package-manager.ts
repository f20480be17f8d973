import lessThan from 'semver/functions/lt.js';
import validVersion from 'semver/functions/valid.js';
import { z } from 'zod';
import { type AppSource, MANIFEST, YARN_RELEASES } from '../../catalog/app-source.ts';
import { parseSettings } from '../../catalog/parse-settings.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';

/** Pinned where the manifest names no version of its own. */
const PINNED = { pnpm: '10.20.0', yarn: '4.10.3', bun: '1.3.2' } as const;

/** The first one that installs by way of a proxy, as builds do: those before wait without end for what it passes on. */
const OLDEST_BUN = '1.2.14';

/** Of pnpm, the last version that reads a lockfile of that format and writes it: later ones refuse or rewrite it. */
const PNPM_OF_FORMAT: readonly (readonly [string, string])[] = [
  ['5', '7.33.7'],
  ['6', '8.15.9'],
];

/** Of yarn 2 and later, the newest version that writes a lockfile of that format: none installs one of another, held to it. */
const YARN_OF_FORMAT: readonly (readonly [string, string])[] = [
  ['4', '2.4.2'],
  ['5', '3.1.1'],
  ['6', '3.8.7'],
  ['8', PINNED.yarn],
  ['9', '4.14.1'],
  ['10', '4.18.1'],
];

/** The first pnpm that reads `allowBuilds`: those before run no script that it alone allows. */
const PNPM_OF_ALLOW_BUILDS = '10.26.0';

export interface PackageManager {
  readonly name: 'npm' | 'yarn' | 'pnpm' | 'bun';
  /** Null: the one the base image carries, or the one that lies in the repository. */
  readonly version: string | null;
  /** Null when no lockfile exists. */
  readonly lockfile: string | null;
  /** True for yarn 2 and later, which has other commands. */
  readonly berry: boolean;
  /**
   * True where an install may write the lockfile anew, which has all that package.json asks for: it names patches of yarn's
   * own, which differ from version to version, and nothing names the version.
   */
  readonly rewritesLock: boolean;
  /**
   * True where install scripts of packages run unasked: since version 10, pnpm runs those alone that settings name. The
   * author of a lockfile that 9 and 10 write alike, and of no such settings, has 9.
   */
  readonly runsAllScripts: boolean;
}

/** Settings of a pnpm that runs no install script unasked. */
const SCRIPTS_OF_PNPM =
  /\b(?:onlyBuilt|ignoredBuilt|neverBuilt)Dependencies\b|\ballowBuilds\b|\bdangerouslyAllowAllBuilds\b/;

const MANAGERS: readonly (readonly [string, PackageManager['name']])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

/** Of a version in a warning. */
const MAX_CHARACTERS = 100;

/** `pnpm@10.2.0+sha512.x`, or a name alone where the catalog declares it. */
const STATED = /^(npm|yarn|pnpm|bun)(?:@(\d+\.\d+\.\d+(?:-[\w.]+)?)|$)/;

const NO_LOCKFILE =
  'there is no lockfile, so versions may differ from build to build: commit the one that a build keeps, `fairlead lockfile --write`';

/** What its lockfile is called when the package manager writes it anew. */
export const NEW_LOCKFILE: Readonly<Record<PackageManager['name'], string>> = {
  npm: 'package-lock.json',
  yarn: 'yarn.lock',
  pnpm: 'pnpm-lock.yaml',
  bun: 'bun.lock',
};

/**
 * The package manager follows the lockfile (spec 2, step 4); the manifest's `packageManager` overrides the pinned version.
 * @param declared `platform.io/package-manager`, which is followed whatever lockfiles there are
 */
export function detectPackageManager(
  manifest: Manifest,
  { files, texts }: AppSource,
  warnings: string[],
  declared: string | null = null,
): PackageManager {
  const stated = STATED.exec(declared ?? manifest.packageManager ?? '');
  const found = MANAGERS.filter(([file, of]) => files.includes(file) && (declared === null || of === stated?.[1]));
  const match = found.find(([, name]) => name === stated?.[1]) ?? found[0];
  if (match === undefined) warnings.push(NO_LOCKFILE);
  if (found.length > 1) {
    warnings.push(`there are several lockfiles (${found.map(([file]) => file).join(', ')}); ${match?.[0]} is followed`);
  }
  const name = match?.[1] ?? asName(stated?.[1]) ?? (files.includes('pnpm-workspace.yaml') ? 'pnpm' : 'npm');
  const statedVersion = stated?.[1] === name ? usableVersion(stated, warnings) : null;
  const berry = name === 'yarn' && isBerry(statedVersion, files, texts);
  const own = name === 'yarn' ? yarnInRepository(files, texts) : null;
  const named = statedVersion ?? own?.version ?? null;
  const version = own?.isThere === true ? null : versionOf(name, { stated: named, berry, texts }, warnings);
  const rewritesLock =
    berry && own === null && statedVersion === null && isOfAnyYarn(manifest, texts['yarn.lock'] ?? '');
  const runsAllScripts = name === 'pnpm' && statedVersion === null && !SCRIPTS_OF_PNPM.test(pnpmSettings(texts));
  return { name, version, lockfile: match?.[0] ?? null, berry, rewritesLock, runsAllScripts };
}

/** The version that is stated; null where none is, and, with a warning, for one that no package manager can have. */
function usableVersion([whole, , version]: RegExpExecArray, warnings: string[]): string | null {
  if (version === undefined || validVersion(version) !== null) return version ?? null;
  warnings.push(`${whole.slice(0, MAX_CHARACTERS)} is no version of a package manager; it is ignored`);
  return null;
}

/** The Bun that starts an app: the one that installs its packages, or the pinned one. */
export function bunVersion({ name, version }: PackageManager): string {
  return name === 'bun' && version !== null ? version : PINNED.bun;
}

/** Its lockfile tells yarn 2 and later even where nothing else does. */
function isBerry(stated: string | null, files: readonly string[], texts: AppSource['texts']): boolean {
  if (stated !== null) return !/^[01]\./.test(stated);
  return files.includes('.yarnrc.yml') || /^__metadata:/m.test(texts['yarn.lock'] ?? '');
}

const yarnSettings = z.object({ yarnPath: z.string() });

interface YarnInRepository {
  /** False where it was left out of the repository: only its name is known. */
  readonly isThere: boolean;
  readonly version: string | null;
}

/** The yarn that `yarnPath` names, which the yarn of the image runs; null where nothing names one. */
function yarnInRepository(files: readonly string[], texts: AppSource['texts']): YarnInRepository | null {
  const path = yarnPathOf(texts['.yarnrc.yml'] ?? '');
  if (path === null) return null;
  const written = /yarn-(\d+\.\d+\.\d+(?:-[\w.]+)?)\.c?js$/.exec(path)?.[1] ?? '';
  const version = validVersion(written) === null ? null : written;
  // Of other folders the names are not known.
  const isThere = version === null || !path.startsWith(YARN_RELEASES) || files.includes(path);
  return { isThere, version };
}

function yarnPathOf(text: string): string | null {
  try {
    const { data } = yarnSettings.safeParse(parseSettings(text));
    return data?.yarnPath.replace(/^\.\//, '') ?? null;
  } catch {
    // Yarn will tell of a file that cannot be read.
    return null;
  }
}

/** True for a lockfile with patches of yarn's own that names all that the manifest asks for. */
function isOfAnyYarn({ versions }: Manifest, lockfile: string): boolean {
  if (!lockfile.includes('builtin<compat/')) return false;
  return Object.entries(versions).every(
    ([name, version]) => lockfile.includes(`${name}@${version}`) || lockfile.includes(`${name}@npm:${version}`),
  );
}

function versionOf(
  name: PackageManager['name'],
  { stated, berry, texts }: { stated: string | null; berry: boolean; texts: AppSource['texts'] },
  warnings: string[],
): string | null {
  if (name === 'pnpm') return stated ?? pnpmVersion(texts);
  if (name === 'bun') return stated === null ? PINNED.bun : usableBun(stated, warnings);
  return berry ? (stated ?? yarnVersion(texts['yarn.lock'] ?? '')) : null;
}

function usableBun(stated: string, warnings: string[]): string {
  if (!lessThan(stated, OLDEST_BUN)) return stated;
  warnings.push(
    `Bun ${stated} cannot install by way of a proxy, as builds do; the app gets ${PINNED.bun}: name ${OLDEST_BUN} or a later one`,
  );
  return PINNED.bun;
}

/** One of before the first of them is written anew by any; one of after the last needs the newest. */
function yarnVersion(lockfile: string): string {
  const format = /^__metadata:\s+version:\s*['"]?(\d+)/m.exec(lockfile)?.[1];
  const found = YARN_OF_FORMAT.find(([number]) => number === format)?.[1];
  const newest = YARN_OF_FORMAT.at(-1);
  return found ?? (Number(format) > Number(newest?.[0]) ? newest?.[1] : null) ?? PINNED.yarn;
}

function pnpmVersion(texts: AppSource['texts']): string {
  const format = /^lockfileVersion:\s*['"]?(\d+)\./m.exec(texts['pnpm-lock.yaml'] ?? '')?.[1];
  const usual = /\ballowBuilds\b/.test(pnpmSettings(texts)) ? PNPM_OF_ALLOW_BUILDS : PINNED.pnpm;
  return PNPM_OF_FORMAT.find(([major]) => major === format)?.[1] ?? usual;
}

function pnpmSettings(texts: AppSource['texts']): string {
  return `${texts[MANIFEST] ?? ''}\n${texts['pnpm-workspace.yaml'] ?? ''}`;
}

function asName(text: string | undefined): PackageManager['name'] | null {
  return text === 'npm' || text === 'pnpm' || text === 'yarn' || text === 'bun' ? text : null;
}
