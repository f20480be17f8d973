import type { AppSource } from '../../catalog/app-source.ts';
import type { Framework } from '../../catalog/catalog.ts';
import type { Manifest } from '../../catalog/read-manifest.ts';
import { lockedVersions } from './locked-versions.ts';

/** The package by which a manifest names the version of a framework; none of a site of files. */
export const FRAMEWORK_PACKAGES: Readonly<Record<Exclude<Framework, 'static'>, string>> = {
  express: 'express',
  fastify: 'fastify',
  hono: 'hono',
  nextjs: 'next',
};

/** That package; null for a site, and for none of the known frameworks. */
export function frameworkPackage(framework: Framework | null): string | null {
  return framework === null || framework === 'static' ? null : FRAMEWORK_PACKAGES[framework];
}

/** The version of the framework: the one that the lockfile has, where it has one alone, else what the manifest asks for. */
export function frameworkVersion(framework: Framework | null, manifest: Manifest, lock: AppSource): string | null {
  const name = frameworkPackage(framework);
  if (name === null) return null;
  const [only, ...others] = lockedVersions(name, lock.texts);
  return only !== undefined && others.length === 0 ? only : (manifest.versions[name] ?? null);
}
