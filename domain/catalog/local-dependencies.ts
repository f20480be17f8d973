import type { Manifest } from './read-manifest.ts';
import { isInsidePath, joinInside } from './source-path.ts';

const PROTOCOL = /^(?:file|link|portal):/;
const ARCHIVE = /^[\w.@/+-]+\.(?:tgz|tar\.gz|tar)$/;

/** A file or folder that a manifest names as a dependency, such as `file:sdk-1.0.0.tgz`. */
export interface LocalDependency {
  readonly name: string;
  /** As it is written. */
  readonly version: string;
  /** In the source that the manifest is part of; null for one outside of it. */
  readonly path: string | null;
}

/** @param folder the manifest's folder in the source */
export function localDependencies({ versions }: Manifest, folder: string = ''): readonly LocalDependency[] {
  return Object.entries(versions).flatMap(([name, version]) => {
    if (!PROTOCOL.test(version) && !/^\.{1,2}\//.test(version) && !isArchive(version)) return [];
    const [written = ''] = version.replace(PROTOCOL, '').split(/[?#]/, 1);
    const path = within(folder, written.replace(/^\/\/(?=\.)/, ''));
    return path === '' ? [] : [{ name, version, path }];
  });
}

/** The path in the source of one that is relative to a folder of it; null for one outside. */
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
