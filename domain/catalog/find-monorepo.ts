import { type AppSource, LOCKFILES, MANIFEST, readAppSource, type SourceTree } from './app-source.ts';
import { joinInside } from './source-path.ts';

/** The monorepo that an app is a package of. */
export interface Monorepo {
  /** Its folder inside the source; `''` is the root. */
  readonly folder: string;
  /** The app's folder, relative to the monorepo's. */
  readonly app: string;
  /** What was read of the monorepo's own folder, with the manifests of its packages. */
  readonly source: AppSource;
}

/** No monorepo that a person keeps has its packages deeper. */
const MAX_DEPTH = 8;

/**
 * The monorepo whose workspaces name the folder of an app: the nearest of the folders around it. Null where there is none,
 * and for an app that has a lockfile of its own where the monorepo has none.
 */
export async function findMonorepo(tree: SourceTree, appFolder: string): Promise<Monorepo | null> {
  const parts = appFolder.split('/').filter((part) => part !== '');
  for (let depth = parts.length - 1; depth >= Math.max(0, parts.length - MAX_DEPTH); depth -= 1) {
    const folder = joinInside(...parts.slice(0, depth));
    const app = joinInside(...parts.slice(depth));
    const around = below(tree, folder);
    if (!(await around.list('')).includes(MANIFEST)) continue;
    const source = await readAppSource(around);
    if (source.texts[`${app}/${MANIFEST}`] === undefined) continue;
    const standsAlone = !hasLockfile(source.files) && hasLockfile(await tree.list(appFolder));
    return standsAlone ? null : { folder, app, source };
  }
  return null;
}

function hasLockfile(files: readonly string[]): boolean {
  return [...LOCKFILES, 'bun.lockb'].some((name) => files.includes(name));
}

function below(tree: SourceTree, folder: string): SourceTree {
  return {
    readText: (path, limitBytes) => tree.readText(joinInside(folder, path), limitBytes),
    list: (path) => tree.list(joinInside(folder, path)),
  };
}
