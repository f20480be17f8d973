import { z } from 'zod';
import type { AppSource } from '../../catalog/app-source.ts';
import { parseSettings } from '../../catalog/parse-settings.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';

/** Pinned where the manifest names no version of its own. */
const PINNED = { pnpm: '10.20.0', yarn: '4.10.3', bun: '1.3.2' } as const;

/** Of pnpm, the last version that reads a lockfile of that format and writes it: later ones refuse or rewrite it. */
const PNPM_OF_FORMAT: readonly (readonly [string, string])[] = [
  ['5', '7.33.7'],
  ['6', '8.15.9'],
];

export interface PackageManager {
  readonly name: 'npm' | 'yarn' | 'pnpm' | 'bun';
  /** Null: the one the base image carries, or the one that lies in the repository. */
  readonly version: string | null;
  /** Null when no lockfile exists. */
  readonly lockfile: string | null;
  /** True for yarn 2 and later, which has other commands. */
  readonly berry: boolean;
}

const MANAGERS: readonly (readonly [string, PackageManager['name']])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

/** What its lockfile is called when the package manager writes it anew. */
export const NEW_LOCKFILE: Readonly<Record<PackageManager['name'], string>> = {
  npm: 'package-lock.json',
  yarn: 'yarn.lock',
  pnpm: 'pnpm-lock.yaml',
  bun: 'bun.lock',
};

/** The package manager follows the lockfile (spec 2, step 4); the manifest's `packageManager` overrides the pinned version. */
export function detectPackageManager(
  manifest: Manifest,
  { files, texts }: AppSource,
  warnings: string[],
): PackageManager {
  const stated = /^(npm|yarn|pnpm|bun)@(\d+\.\d+\.\d+(?:-[\w.]+)?)/.exec(manifest.packageManager ?? '');
  const found = MANAGERS.filter(([file]) => files.includes(file));
  const match = found.find(([, name]) => name === stated?.[1]) ?? found[0];
  if (match === undefined)
    warnings.push('there is no lockfile, so versions may differ from build to build; commit one');
  if (found.length > 1) {
    warnings.push(`there are several lockfiles (${found.map(([file]) => file).join(', ')}); ${match?.[0]} is followed`);
  }
  const name = match?.[1] ?? asName(stated?.[1]) ?? (files.includes('pnpm-workspace.yaml') ? 'pnpm' : 'npm');
  const statedVersion = stated?.[1] === name ? (stated?.[2] ?? null) : null;
  const berry = name === 'yarn' && isBerry(statedVersion, files, texts);
  const version = hasOwnYarn(name, texts) ? null : versionOf(name, { stated: statedVersion, berry, texts });
  return { name, version, lockfile: match?.[0] ?? null, berry };
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

/** The yarn of the image runs the one that `yarnPath` names. */
function hasOwnYarn(name: PackageManager['name'], texts: AppSource['texts']): boolean {
  if (name !== 'yarn') return false;
  try {
    return yarnSettings.safeParse(parseSettings(texts['.yarnrc.yml'] ?? '')).success;
  } catch {
    // Yarn will tell of a file that cannot be read.
    return false;
  }
}

function versionOf(
  name: PackageManager['name'],
  { stated, berry, texts }: { stated: string | null; berry: boolean; texts: AppSource['texts'] },
): string | null {
  if (name === 'pnpm') return stated ?? pnpmVersion(texts['pnpm-lock.yaml'] ?? '');
  if (name === 'bun') return stated ?? PINNED.bun;
  return berry ? (stated ?? PINNED.yarn) : null;
}

function pnpmVersion(lockfile: string): string {
  const format = /^lockfileVersion:\s*['"]?(\d+)\./m.exec(lockfile)?.[1];
  return PNPM_OF_FORMAT.find(([major]) => major === format)?.[1] ?? PINNED.pnpm;
}

function asName(text: string | undefined): PackageManager['name'] | null {
  return text === 'npm' || text === 'pnpm' || text === 'yarn' || text === 'bun' ? text : null;
}
