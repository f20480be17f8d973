import type { Manifest } from '../../catalog/read-manifest.ts';
import { isInsidePath, joinInside } from '../../catalog/source-path.ts';

const PROTOCOL = /^(?:file|link|portal):/;
const ARCHIVE = /^[\w.@/+-]+\.(?:tgz|tar\.gz|tar)$/;

/**
 * Paths of files and folders of the repository that the manifest names as dependencies, such as `file:sdk-1.0.0.tgz`:
 * they must be there when packages are installed. Those outside the app's folder cannot be, and get a warning.
 */
export function localDependencies({ versions }: Manifest, warnings: string[]): readonly string[] {
  const paths = new Set<string>();
  for (const [name, version] of Object.entries(versions)) {
    if (!PROTOCOL.test(version) && !/^\.{1,2}\//.test(version) && !isArchive(version)) continue;
    const [written = ''] = version.replace(PROTOCOL, '').split(/[?#]/, 1);
    const path = written.replace(/^\/\/(?=\.)/, '');
    if (joinInside(path) === '') continue;
    if (isInsidePath(path)) paths.add(joinInside(path));
    else warnings.push(`${name} in package.json is ${version}, outside the app's folder: the install will not find it`);
  }
  return [...paths].sort();
}

function isArchive(version: string): boolean {
  return ARCHIVE.test(version) && !version.includes('://');
}
