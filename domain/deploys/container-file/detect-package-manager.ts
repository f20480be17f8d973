import type { Manifest } from '../../catalog/read-manifest.ts';

/** Pinned where the manifest names no version of its own. */
const PINNED = { pnpm: '10.20.0', yarn: '4.10.3' } as const;

export interface PackageManager {
  readonly name: 'npm' | 'yarn' | 'pnpm';
  /** Null: the one the base image carries. */
  readonly version: string | null;
  /** Null when no lockfile exists. */
  readonly lockfile: string | null;
  /** True for yarn 2 and later, which has other commands. */
  readonly berry: boolean;
}

const LOCKFILES: readonly (readonly [string, PackageManager['name']])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

/** The package manager follows the lockfile (spec 2, step 4); the manifest's `packageManager` overrides the pinned version. */
export function detectPackageManager(manifest: Manifest, files: readonly string[], warnings: string[]): PackageManager {
  const stated = /^(npm|yarn|pnpm)@(\d+\.\d+\.\d+(?:-[\w.]+)?)/.exec(manifest.packageManager ?? '');
  const found = LOCKFILES.filter(([file]) => files.includes(file));
  const match = found.find(([, name]) => name === stated?.[1]) ?? found[0];
  if (match === undefined)
    warnings.push('there is no lockfile, so versions may differ from build to build; commit one');
  if (found.length > 1) {
    warnings.push(`there are several lockfiles (${found.map(([file]) => file).join(', ')}); ${match?.[0]} is followed`);
  }
  const name = match?.[1] ?? asName(stated?.[1]);
  const statedVersion = stated?.[1] === name ? (stated?.[2] ?? null) : null;
  const berry =
    name === 'yarn' && (statedVersion === null ? files.includes('.yarnrc.yml') : !statedVersion.startsWith('1.'));
  return { name, version: versionOf(name, statedVersion, berry), lockfile: match?.[0] ?? null, berry };
}

function versionOf(name: PackageManager['name'], stated: string | null, berry: boolean): string | null {
  if (name === 'pnpm') return stated ?? PINNED.pnpm;
  return berry ? (stated ?? PINNED.yarn) : null;
}

function asName(text: string | undefined): PackageManager['name'] {
  return text === 'pnpm' || text === 'yarn' ? text : 'npm';
}
