import satisfies from 'semver/functions/satisfies.js';
import intersects from 'semver/ranges/intersects.js';
import validRange from 'semver/ranges/valid.js';
import type { AppSource } from '../../catalog/app-source.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import type { Choice } from './app-description.ts';
import { lockedVersions } from './locked-versions.ts';

/**
 * Versions that build without MD4, or with an MD4 of their own, as tried on Node.js 24. Those before ask OpenSSL for it, of which every Node.js
 * since 17 has version 3, with MD4 only in its provider of old algorithms. Next.js carries its own webpack.
 */
export const WITHOUT_MD4: Readonly<Record<string, string>> = {
  webpack: '>=4.47.0 <5.0.0-0 || >=5.61.0',
  next: '>=12.1.0',
  'react-scripts': '>=5.0.0',
};

/** A prerelease builds as the releases about it do. */
const PRERELEASES = { includePrerelease: true };

/** A package that builds with MD4, with its version; null where none does. */
export function buildsWithMd4({ versions }: Manifest, { texts }: AppSource): string | null {
  for (const [name, good] of Object.entries(WITHOUT_MD4)) {
    const locked = lockedVersions(name, texts).find((version) => !satisfies(version, good, PRERELEASES));
    if (locked !== undefined) return `${name} ${locked}`;
    const wanted = versions[name];
    const known = wanted !== undefined && lockedVersions(name, texts).length === 0 && validRange(wanted) !== null;
    if (known && !intersects(wanted, good, PRERELEASES)) return `${name} ${wanted}`;
  }
  return null;
}

/** Variables that let such packages build on a Node.js of today; none where no package needs them. */
export function legacyOpenssl(
  build: Choice<string> | null,
  manifest: Manifest,
  lockSource: AppSource,
  warnings: string[],
): Readonly<Record<string, string>> {
  const found = build === null ? null : buildsWithMd4(manifest, lockSource);
  if (found === null) return {};
  warnings.push(`${found} needs MD4, which the OpenSSL of Node.js has only among its old algorithms: update it`);
  return { NODE_OPTIONS: '--openssl-legacy-provider' };
}
