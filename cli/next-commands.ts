import type { ErrorCode } from '../domain/errors.ts';
import type { BuildReply } from './replies.ts';

/**
 * A retry builds the very commit or archive that failed, so with these it fails again: the source must change. Others may
 * pass, such as a registry that did not answer or a variable that was missing; so may codes of a newer API.
 */
const SOURCE_MUST_CHANGE: ReadonlySet<string> = new Set<ErrorCode>([
  'ARCHIVE_INVALID',
  'BUILD_LIMIT_EXCEEDED',
  'CATALOG_INVALID',
  'CATALOG_VERSION_UNSUPPORTED',
  'CONTAINER_FILE_INVALID',
  'CONTAINER_FILE_MISSING',
  'CONTAINER_ROOT_USER',
  'PAYLOAD_OVER_LIMIT',
  'PLATFORM_CONFIG_INVALID',
  'SERVICE_OWNER_MISMATCH',
]);

/** Failures of the program itself: what it needs may also be a variable, which a deploy sets. */
const PROGRAM_MUST_CHANGE: ReadonlySet<string> = new Set<ErrorCode>([
  'HEALTH_CHECK_FAILED',
  'IMAGE_BUILD_FAILED',
  'TESTS_FAILED',
]);

/** What to do after a build that failed. */
export function nextCommands(build: BuildReply): string {
  const { id, kind, reason, failure, service, environment, commitSha } = build;
  const log = `fairlead logs ${id}`;
  if (reason === 'superseded') return log;
  if (kind === 'restart') return `${log} · fairlead deploy`;
  if (kind === 'rollback')
    return `${log} · fairlead rollback ${service}${environment === 'prod' ? '' : ` -e ${environment}`}`;
  if (SOURCE_MUST_CHANGE.has(failure?.code ?? '')) return `${log} · change the source, then fairlead deploy`;
  if (PROGRAM_MUST_CHANGE.has(failure?.code ?? '')) {
    return `${log} · change the source or its variables, then fairlead deploy`;
  }
  // A place that may not be read, or a token that is missing: the failure says which, and no retry changes it.
  if (failure?.code === 'SOURCE_REFUSED') return `${log} · do what the failure says, then fairlead deploy`;
  if (failure?.code === 'CONVENTION_CHECK_FAILED') {
    return `${log} · change the source, or give a reason: fairlead deploy --skip-convention-check "<reason>"`;
  }
  const again =
    typeof commitSha === 'string' ? ` (builds ${commitSha.slice(0, 7)} again; newer code: fairlead deploy)` : '';
  return `${log} · fairlead retry ${id}${again}`;
}
