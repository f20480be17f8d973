import { type AppSource, MANIFEST } from '../../catalog/app-source.ts';
import { localDependencies } from '../../catalog/local-dependencies.ts';
import type { Member } from '../app/workspace.ts';

/**
 * Paths of files and folders of the repository that manifests name as dependencies: they must be there when packages are
 * installed. A warning for each that cannot be. Packages of a monorepo are no part of it: their manifests are there.
 * @param members with their folders in the build context
 * @returns paths in the build context
 */
export function localPackages(
  members: readonly Member[],
  { files, texts }: AppSource,
  warnings: string[],
): readonly string[] {
  const known = new Set(files);
  const paths = new Set<string>();
  for (const { name, version, path } of members.flatMap((one) => localDependencies(one.manifest, one.folder))) {
    if (path !== null && texts[`${path}/${MANIFEST}`] !== undefined) continue;
    const named = `${name} in package.json is ${version}`;
    if (path === null) warnings.push(`${named}, outside the app's folder: the install will not find it`);
    else if (known.has(path)) paths.add(path);
    else warnings.push(`${named}, which the repository does not have: the install may not find it`);
  }
  return [...paths].sort();
}
