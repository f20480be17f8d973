import type { Manifest } from '../../catalog/read-manifest.ts';
import { isInsidePath, joinInside } from '../../catalog/source-path.ts';

const PROTOCOL = /^(?:file|link|portal):/;
const ARCHIVE = /^[\w.@/+-]+\.(?:tgz|tar\.gz|tar)$/;

/**
 * Paths of files and folders of the repository that the manifest names as dependencies, such as `file:sdk-1.0.0.tgz`:
 * they must be there when packages are installed. Those outside the build context cannot be, and get a warning.
 * @param folder the manifest's folder in the build context
 * @returns paths in the build context
 */
export function localDependencies({ versions }: Manifest, warnings: string[], folder: string = ''): readonly string[] {
  const paths = new Set<string>();
  for (const [name, version] of Object.entries(versions)) {
    if (!PROTOCOL.test(version) && !/^\.{1,2}\//.test(version) && !isArchive(version)) continue;
    const [written = ''] = version.replace(PROTOCOL, '').split(/[?#]/, 1);
    const path = within(folder, written.replace(/^\/\/(?=\.)/, ''));
    if (path === '') continue;
    if (path !== null) paths.add(path);
    else warnings.push(`${name} in package.json is ${version}, outside the app's folder: the install will not find it`);
  }
  return [...paths].sort();
}

/** The path in the build context of one that is relative to a folder of it; null for one outside. */
function within(folder: string, path: string): string | null {
  const ups = /^(?:\.\/|\.\.\/|\.\.$)*/.exec(path)?.[0] ?? '';
  const up = ups.split('/').filter((part) => part === '..').length;
  const parents = folder === '' ? [] : folder.split('/');
  const rest = path.slice(ups.length);
  if (up > parents.length || (rest !== '' && !isInsidePath(rest))) return null;
  return joinInside(...parents.slice(0, parents.length - up), rest);
}

function isArchive(version: string): boolean {
  return ARCHIVE.test(version) && !version.includes('://');
}
