import { MANIFEST } from '../../catalog/app-source.ts';
import type { Monorepo } from '../../catalog/find-monorepo.ts';
import { type Manifest, readManifest } from '../../catalog/read-manifest.ts';

/** A package of a monorepo. */
export interface Member {
  /** Relative to the monorepo. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** An app's place among the packages of its monorepo, which is the build context. */
export interface Workspace {
  readonly app: Member;
  /** The packages that the app needs, each after those that it needs itself. */
  readonly needs: readonly Member[];
  /** All others, which are left out of the image; empty where it is whole. */
  readonly others: readonly Member[];
  /** True where all of its packages are installed and stay: an install script of its own works on its source. */
  readonly isWhole: boolean;
}

/** Finds the packages that an app needs by the names in their manifests, those for development included. */
export function readWorkspace({ app, source }: Monorepo, isWhole: boolean): Workspace {
  const members = Object.entries(source.texts)
    .filter(([path]) => path.endsWith(`/${MANIFEST}`))
    .map(([path, text]) => ({ folder: path.slice(0, -MANIFEST.length - 1), manifest: readManifest(text, []) }));
  const byName = new Map(members.map((member) => [member.manifest.packageName, member]));
  const own = members.find(({ folder }) => folder === app);
  const found = new Set<Member>();
  const visited = new Set<Member>();
  const visit = (member: Member): void => {
    if (visited.has(member)) return;
    visited.add(member);
    for (const name of member.manifest.dependencies) {
      const needed = byName.get(name);
      if (needed !== undefined) visit(needed);
    }
    found.add(member);
  };
  const ofApp = own ?? { folder: app, manifest: readManifest(null, []) };
  visit(ofApp);
  found.delete(ofApp);
  const others = isWhole ? [] : members.filter((member) => !visited.has(member));
  return { app: ofApp, needs: [...found], others, isWhole };
}
