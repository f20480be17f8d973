import { compareVersions } from '../compare-versions.ts';
import { FairleadError } from '../errors.ts';
import { CATALOG_VERSIONS } from './catalog.ts';
import { recordAt, recordHas } from './record-at.ts';

const CURRENT = '0.6.0';
const MINIMUM = CATALOG_VERSIONS[0];

/** Sections of `spec` that came with a later version of the format (spec 2, "Versioning"). */
export const SECTIONS_SINCE: Readonly<Record<string, string>> = {
  storage: '0.3.0',
  dependencies: '0.4.0',
  config: '0.5.0',
  tests: '0.5.0',
  userAccess: '0.5.0',
  registration: '0.6.0',
};

/** Of `spec.userAccess.roles`. */
export const ROLES_SINCE = '0.6.0';

/**
 * The version that a file declares; the current one where it declares none, or what is none.
 * @param enforce ENFORCE_MINIMUM_CATALOG_VERSION
 * @throws CATALOG_VERSION_UNSUPPORTED
 */
export function decideVersion(value: unknown, enforce: boolean, warnings: string[]): string {
  const stated = recordAt(recordAt(value, 'metadata'), 'annotations')?.['platform.io/catalog-version'];
  if (stated === undefined || stated === null) {
    warnings.push(`platform.io/catalog-version is not set; the catalog is read as version ${CURRENT}`);
    return CURRENT;
  }
  const text = String(stated)
    .replace(/^v/, '')
    .replace(/^(\d+\.\d+)$/, '$1.0');
  // A value that is no version at all is reported by the schema, together with everything else.
  if (!/^\d+\.\d+\.\d+$/.test(text)) return CURRENT;
  if (compareVersions(text, MINIMUM) < 0) {
    const message = `catalog version ${text} is older than ${MINIMUM}, the oldest supported; set platform.io/catalog-version to ${CURRENT}`;
    if (enforce)
      throw new FairleadError('CATALOG_VERSION_UNSUPPORTED', message, { details: { version: text, minimum: MINIMUM } });
    warnings.push(message);
  }
  if (compareVersions(text, CURRENT) > 0) {
    warnings.push(`catalog version ${text} is newer than ${CURRENT}, the newest known; what it adds is ignored`);
  }
  return text;
}

/** A section the declared version does not have yet is not even checked: it is as if it were not there. */
export function withoutNewerSections(value: unknown, version: string, warnings: string[]): unknown {
  const spec = recordAt(value, 'spec');
  if (spec === null) return value;
  const kept = { ...spec };
  for (const [section, since] of Object.entries(SECTIONS_SINCE)) {
    if (!recordHas(spec, section) || compareVersions(version, since) >= 0) continue;
    delete kept[section];
    warnings.push(`spec.${section} is ignored: it needs catalog version ${since}, and the file declares ${version}`);
  }
  return typeof value === 'object' ? { ...value, spec: kept } : value;
}
