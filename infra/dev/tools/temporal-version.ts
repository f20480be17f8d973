import { compareVersions } from '../../../domain/compare-versions.ts';

/** Update-with-start, which every deploy begins with, is on by default from this server on. */
const OLDEST_SERVER = '1.28';

/**
 * @param found such as `1.29`
 * @param program what a program of that version does: `is` a server, or `carries` one
 * @throws Error for a server that is too old
 */
export function requireServerVersion(found: string, program: 'is' | 'carries'): void {
  if (compareVersions(found, OLDEST_SERVER) >= 0) return;
  throw new Error(`${program} server ${found}, needs ${OLDEST_SERVER} or later`);
}
