/**
 * The one error class of the platform and the closed union of its codes.
 *
 * A code says what went wrong in the caller's terms. Which HTTP status it has is known to `api/http/` alone, and
 * whether a workflow retries it is known to the activity interceptor: `retryable` is false unless the cause may pass.
 */
export const ERROR_CODES = [
  // Requests
  'VALIDATION_FAILED',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'CONFLICT',
  'INTERNAL',
  'UNAVAILABLE',
  // OAuth 2.0, as `error` of RFC 6749, 6750, 7009, 8628, 8693, 8707 and OpenID Connect; see api/http/oauth-errors.ts
  'OAUTH_INVALID_REQUEST',
  'OAUTH_INVALID_CLIENT',
  'OAUTH_INVALID_GRANT',
  'OAUTH_INVALID_SCOPE',
  'OAUTH_INVALID_TARGET',
  'OAUTH_UNAUTHORIZED_CLIENT',
  'OAUTH_UNSUPPORTED_GRANT_TYPE',
  'OAUTH_UNSUPPORTED_RESPONSE_TYPE',
  'OAUTH_UNSUPPORTED_TOKEN_TYPE',
  'OAUTH_ACCESS_DENIED',
  'OAUTH_AUTHORIZATION_PENDING',
  'OAUTH_SLOW_DOWN',
  'OAUTH_EXPIRED_TOKEN',
  'OAUTH_INVALID_TOKEN',
  'OAUTH_LOGIN_REQUIRED',
  'OAUTH_CONSENT_REQUIRED',
  'OAUTH_INTERACTION_REQUIRED',
  'INVALID_REDIRECT_URI',
  // People, orgs and clients
  'USER_EXISTS',
  'USER_NOT_FOUND',
  'ORG_EXISTS',
  'ORG_NOT_FOUND',
  'INVITE_INVALID',
  'LINK_INVALID',
  'LOGIN_FAILED',
  'LOGIN_LOCKED',
  'SECOND_FACTOR_REQUIRED',
  'PASSWORD_REFUSED',
  'ROLES_NOT_ACCEPTED',
  'ROLE_ESCALATION',
  'NOT_ELIGIBLE',
  'SELF_SEND_REQUIRES_SECRET',
  'TRUSTED_SIGNUP_REFUSED',
  'ORIGIN_REFUSED',
  'CSRF_REFUSED',
  'CLIENT_EXISTS',
  'CLIENT_NOT_FOUND',
  'CLIENT_SECRETS_FULL',
  // The audit ledger
  'EVENT_INVALID',
  'EVENT_TOO_LARGE',
  'EVENT_NOT_FOUND',
  'ORG_CLAIM_MISSING',
  'IDEMPOTENCY_KEY_REUSED',
  'IDEMPOTENCY_KEY_MISMATCH',
  'RATE_LIMIT_EXCEEDED',
  'NOT_BATCHED',
  'BATCH_NOT_FOUND',
  'CHAIN_UNREACHABLE',
  'ANCHOR_REFUSED',
  // The wallet and the deploy gate
  'INSUFFICIENT_GAS',
  'ORG_NOT_ALLOWED',
  // Catalog and services
  'SERVICE_NOT_FOUND',
  'SERVICE_OWNER_MISMATCH',
  'SERVICE_BUSY',
  'DNS_RECORD_EXISTS',
  'RESERVED_ENV_VAR',
  'PLATFORM_CONFIG_INVALID',
  'CATALOG_INVALID',
  'CATALOG_VERSION_UNSUPPORTED',
  // The locker, and imports from it and from the legacy vault
  'LOCKER_ITEM_NOT_FOUND',
  'LOCKER_FULL',
  'NOT_BOUND',
  'ORG_MISMATCH',
  'PERSONAL_NOT_RESOLVABLE',
  'ITEM_SEALED',
  'FIELD_AMBIGUOUS',
  'LOCKER_HANDLE_NOT_FOUND',
  'LOCKER_RESOLVE_FORBIDDEN',
  'LOCKER_UNREACHABLE',
  'LOCKER_NOT_CONFIGURED',
  'VAULT_ALIAS_NOT_FOUND',
  'VAULT_RESOLVE_FORBIDDEN',
  'VAULT_UNREACHABLE',
  'VAULT_NOT_CONFIGURED',
  // The object store
  'OBJECT_NOT_FOUND',
  'OBJECT_DAMAGED',
  'OBJECT_STORE_UNREACHABLE',
  'OBJECT_STORE_REFUSED',
  'OBJECT_STORE_FULL',
  // Builds and releases
  'BUILD_NOT_FOUND',
  'BUILD_FINISHED',
  'BUILD_NOT_RETRYABLE',
  'STEP_UNKNOWN',
  'RELEASE_NOT_FOUND',
  'SOURCE_MISSING',
  'SOURCE_REFUSED',
  'SOURCE_UNREACHABLE',
  'COMMIT_NOT_FOUND',
  'GIT_TOKEN_REFUSED',
  'ARCHIVE_INVALID',
  'UPLOAD_QUOTA_EXCEEDED',
  'CONTAINER_FILE_MISSING',
  'CONTAINER_FILE_INVALID',
  'CONTAINER_ROOT_USER',
  'CONFIG_PREFLIGHT_FAILED',
  'UNDOCUMENTED_UPGRADE',
  'CONVENTION_CHECK_FAILED',
  'SCOPE_GRANT_BLOCKED',
  'BASE_IMAGE_UNAVAILABLE',
  'IMAGE_BUILD_FAILED',
  'BUILD_LIMIT_EXCEEDED',
  'IMAGE_PUSH_FAILED',
  'INSTALL_FAILED',
  'HEALTH_CHECK_FAILED',
  'TESTS_FAILED',
  'DISK_FULL',
  'STEP_DEADLINE_EXCEEDED',
  'BUILD_SUPERSEDED',
  'BUILD_CANCELLED',
  'BUILD_ABANDONED',
  'PAYLOAD_OVER_LIMIT',
  // Backups and restores of databases
  'BACKUP_NOT_FOUND',
  'BACKUP_IN_PROGRESS',
  'BACKUPS_NOT_CONFIGURED',
  'DATABASE_NOT_FOUND',
  'NOT_RESTORABLE',
  'RESTORE_NOT_FOUND',
  'RESTORE_IN_PROGRESS',
  'DUMP_FAILED',
  'DUMP_TOOL_MISSING',
  'RESTORE_FAILED',
  // The site registry
  'PROPERTY_IGNORED',
  'VERIFY_IN_PROGRESS',
  'SYNC_IN_PROGRESS',
  'DOMAIN_MAP_UNREADABLE',
  'GOOGLE_PERMISSION',
  'GOOGLE_REFUSED',
  'GOOGLE_NOT_CONFIGURED',
  'DNS_PROVIDER_REFUSED',
  'CERTIFICATE_REFUSED',
  'PULL_IN_PROGRESS',
  // Custom domains
  'DOMAIN_NOT_FOUND',
  'DOMAIN_TAKEN',
  'DIRECT_MODE_UNAVAILABLE',
  'EXTERNAL_APEX_UNSUPPORTED',
  'SAAS_UNAVAILABLE',
  // The uptime monitor
  'MONITOR_NOT_FOUND',
  'INCIDENT_NOT_FOUND',
  'CHANNEL_NOT_FOUND',
  'SUBSCRIBER_NOT_FOUND',
  'DELIVERY_NOT_FOUND',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface FairleadErrorOptions {
  /** Machine-readable facts that are safe to show the caller. Never secrets. */
  readonly details?: unknown;
  readonly cause?: unknown;
  /** The system that failed, such as `registry`: some failures of some systems end no build (spec 2). */
  readonly system?: string;
  /** True when the same call may succeed later: a workflow retries it, a caller gets 503. */
  readonly retryable?: boolean;
}

/** An error with a code from {@link ERROR_CODES} and a message that is safe to show whoever caused it. */
export class FairleadError extends Error {
  override readonly name = 'FairleadError';
  readonly code: ErrorCode;
  readonly details: unknown;
  readonly system: string | undefined;
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: FairleadErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.system = options.system;
    this.retryable = options.retryable ?? false;
  }
}

/** Whether the same call may succeed later. */
export function isRetryable(error: unknown): error is FairleadError {
  return error instanceof FairleadError && error.retryable;
}

/** True for a string that is one of {@link ERROR_CODES}. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && (ERROR_CODES as readonly string[]).includes(value);
}
