import { z } from 'zod';
import type { Manifest } from '../catalog/read-manifest.ts';
import { compareVersions } from '../compare-versions.ts';
import { parseJson } from '../parse-json.ts';
import { packageNameSchema } from '../registry/schema.ts';

/**
 * Packages of the SDK whose upgrades must be documented: the platform's own, and those that an installation names in
 * SDK_PACKAGES. A name that ends with `/` is a scope.
 */
export const OWN_SDK_PACKAGES = ['@fairlead/'] as const;

/** A source that names more than this uses something else. */
const MOST_PACKAGES = 50;
const EXACT = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/;
const RANGE = /^(?:[\^~=v]|>=)?\s*(\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?)$/;

const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional().catch(undefined) }).catch({})),
});

export function isSdkPackage(name: string, named: readonly string[]): boolean {
  return named.some((entry) => (entry.endsWith('/') ? name.startsWith(entry) : name === entry));
}

/**
 * The version of each package of the SDK that an app depends on: the one that its package-lock.json installs, else the
 * one that its package.json asks for, without `^` and the like. Names that are none of a package are left out: the
 * registry would refuse the whole manifest of the deploy for one of them, and they may be as long as the file.
 * @param lock text of package-lock.json; null without one
 */
export function sdkVersions(
  { runtimeDependencies, versions }: Pick<Manifest, 'runtimeDependencies' | 'versions'>,
  lock: string | null,
  named: readonly string[],
): Readonly<Record<string, string>> {
  const isWanted = (name: string): boolean => isSdkPackage(name, named) && packageNameSchema.safeParse(name).success;
  const wanted = [...runtimeDependencies].filter(isWanted).sort();
  if (wanted.length === 0) return {};
  const locked = lock === null ? {} : (lockSchema.safeParse(parseJson(lock)).data?.packages ?? {});
  const found = wanted.slice(0, MOST_PACKAGES).map((name) => {
    const entry = `node_modules/${name}`;
    const installed = Object.hasOwn(locked, entry) ? locked[entry]?.version : undefined;
    const asked = (Object.hasOwn(versions, name) ? versions[name] : undefined) ?? '';
    return [name, (installed || RANGE.exec(asked)?.[1] || asked || '*').slice(0, 200)] as const;
  });
  return Object.fromEntries(found);
}

export interface SdkUpgrade {
  readonly package: string;
  readonly from: string;
  readonly to: string;
}

/** What was upgraded between two deploys. A package that is new, and a version that is older than before, is no upgrade. */
export function sdkUpgrades(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): readonly SdkUpgrade[] {
  return Object.entries(now).flatMap(([name, to]) => {
    const from = Object.hasOwn(before, name) ? before[name] : undefined;
    if (from === undefined || from === to) return [];
    const isUpgrade = !EXACT.test(from) || !EXACT.test(to) || compareVersions(to, from) > 0;
    return isUpgrade ? [{ package: name, from, to }] : [];
  });
}

/** False for what names no version, such as `latest` or an address: nobody can document it. */
export function isExactVersion(version: string): boolean {
  return EXACT.test(version);
}
