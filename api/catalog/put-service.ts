import type { ServiceChanges, ServiceStore } from '../../domain/catalog/ports.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { PutServiceBody } from '../../domain/catalog/service-schema.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import type { SealedSecret } from '../../domain/config/sealed-secret.ts';
import { checkVariableBounds } from '../../domain/config/variable-bounds.ts';
import { isReservedVariable } from '../../domain/config/variable-names.ts';
import { parseBranchName, parseGitUrl } from '../../domain/deploys/git-url.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { NewId } from '../../domain/ids.ts';
import { type Caller, isAdministrator, isPlatform } from '../http/caller.ts';
import { mayUse } from './access.ts';

export interface PutServiceDeps {
  readonly services: ServiceStore;
  /** Null when no CONFIG_ENCRYPTION_KEY is set. */
  readonly cipher: SecretCipher | null;
  readonly newId: NewId;
  readonly platformGitUrl: string | null;
  /** Folder that local repositories lie below; null where they are off. */
  readonly localSourcesRoot: string | null;
}

/**
 * Registers a service or merges changes into it (spec 2, POST /services).
 * @throws SERVICE_OWNER_MISMATCH, RESERVED_ENV_VAR, VALIDATION_FAILED past the bounds of a service's variables,
 *   SOURCE_REFUSED, FORBIDDEN, UNAVAILABLE without an encryption key
 */
export async function putService(
  deps: PutServiceDeps,
  caller: Caller,
  body: PutServiceBody,
): Promise<{ service: ServiceRecord; created: boolean }> {
  const { name, org: wantedOrg, config = {}, secrets = {}, ...plain } = body;
  refuseReserved([...Object.keys(config), ...Object.keys(secrets)]);
  refuseInBoth(config, secrets);
  if (typeof plain.branch === 'string') parseBranchName(plain.branch);
  const existing = await deps.services.find(name);
  const org = ownerOf(caller, existing, wantedOrg, name);
  const { gitUrl } = plain;
  if (typeof gitUrl === 'string' && gitUrl !== existing?.gitUrl) checkSource(gitUrl, { deps, caller });
  const variables = variableChanges(deps.cipher, name, config, secrets);
  checkVariableBounds(existing, variables);
  const changes = definedFields({ ...plain, ...variables });
  return deps.services.upsert({ id: deps.newId('service'), name, org }, changes);
}

function ownerOf(caller: Caller, existing: ServiceRecord | null, wanted: string | undefined, name: string): string {
  if (existing !== null) {
    if (mayUse(caller, existing) && (wanted === undefined || wanted === existing.org)) return existing.org;
    const message = `A service called ${name} belongs to another org; choose another name or ask its owner for access`;
    throw new FairleadError('SERVICE_OWNER_MISMATCH', message);
  }
  if (!isPlatform(caller) && wanted !== undefined && wanted !== caller.org) {
    throw new FairleadError('FORBIDDEN', 'org: only your own org can own a service you register');
  }
  const org = wanted ?? caller.org;
  if (org === '')
    throw new FairleadError('VALIDATION_FAILED', 'org: name the org that owns it, because you are not in an org');
  return org;
}

function refuseReserved(names: readonly string[]): void {
  const reserved = names.filter(isReservedVariable);
  if (reserved.length === 0) return;
  const message = `${reserved.join(', ')}: the platform provides this itself; choose another name`;
  throw new FairleadError('RESERVED_ENV_VAR', message, { details: { names: reserved } });
}

function refuseInBoth(config: object, secrets: object): void {
  const both = Object.keys(config).filter((name) => Object.hasOwn(secrets, name));
  if (both.length === 0) return;
  const details = both.map((name) => ({ field: `secrets.${name}`, message: 'is in config as well' }));
  throw new FairleadError('VALIDATION_FAILED', `${both.join(', ')}: set it in config or in secrets, not in both`, {
    details,
  });
}

/** A folder of the builder's machine holds what its operator put there: only an administrator may have it built. */
function checkSource(gitUrl: string, { deps, caller }: { deps: PutServiceDeps; caller: Caller }): void {
  if (parseGitUrl(gitUrl, deps.platformGitUrl).kind !== 'local') return;
  if (deps.localSourcesRoot === null) {
    throw new FairleadError(
      'SOURCE_REFUSED',
      'gitUrl: local paths are off here (LOCAL_SOURCES_ROOT); give an https URL',
    );
  }
  if (!isAdministrator(caller)) {
    const message = 'gitUrl: only an administrator of the platform may name a local path; give an https URL, or upload';
    throw new FairleadError('SOURCE_REFUSED', message);
  }
}

type Variables = NonNullable<PutServiceBody['config']>;

/** A variable is plain or secret: setting it as one removes it as the other. */
function variableChanges(cipher: SecretCipher | null, service: string, config: Variables, secrets: Variables) {
  const sealed: Record<string, SealedSecret | null> = {};
  const plain: Record<string, string | null> = { ...config };
  for (const [key, value] of Object.entries(secrets)) {
    sealed[key] = value === null ? null : requireCipher(cipher).seal(value, { service, key });
    if (value !== null) plain[key] = null;
  }
  for (const [key, value] of Object.entries(config)) {
    if (value !== null) sealed[key] = null;
  }
  return { config: plain, secrets: sealed };
}

function requireCipher(cipher: SecretCipher | null): SecretCipher {
  if (cipher !== null) return cipher;
  throw new FairleadError('UNAVAILABLE', 'secrets: cannot be stored, because CONFIG_ENCRYPTION_KEY is not set here');
}

/** An absent field keeps what is stored, so `undefined` must not reach the store. */
function definedFields(fields: { [K in keyof ServiceChanges]: ServiceChanges[K] | undefined }): ServiceChanges {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
