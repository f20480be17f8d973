import type { ServiceChanges, ServiceStore } from '../../domain/catalog/ports.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { PutServiceBody } from '../../domain/catalog/service-schema.ts';
import type { Clock } from '../../domain/clock.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import { checkVariableBounds } from '../../domain/config/variable-bounds.ts';
import { checkVariableNames, sealChanges, type VariableValues } from '../../domain/config/variable-change.ts';
import type { VariableHistory, VariableHistoryEntry } from '../../domain/config/variable-history.ts';
import { parseBranchName, parseGitUrl } from '../../domain/deploys/git-url.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { NewId } from '../../domain/ids.ts';
import { checkAgain } from '../check-again.ts';
import { type Caller, isAdministrator, isPlatform } from '../http/caller.ts';
import { mayUse, requireOwner } from './access.ts';

export interface PutServiceDeps {
  readonly services: ServiceStore;
  readonly history: VariableHistory;
  /** Null when no CONFIG_ENCRYPTION_KEY is set. */
  readonly cipher: SecretCipher | null;
  readonly newId: NewId;
  readonly now: Clock;
  readonly platformGitUrl: string | null;
  /** Folder that local repositories lie below; null where they are off. */
  readonly localSourcesRoot: string | null;
}

/**
 * Registers a service or merges changes into it (spec 2, POST /services).
 * @returns with the names of the fields, without variables, that are not what they were
 * @throws SERVICE_OWNER_MISMATCH, RESERVED_ENV_VAR, VALIDATION_FAILED past the bounds of a service's variables,
 *   SOURCE_REFUSED, FORBIDDEN, UNAVAILABLE without an encryption key, CONFLICT while others change it again and again
 */
export async function putService(
  deps: PutServiceDeps,
  caller: Caller,
  body: PutServiceBody,
): Promise<{ service: ServiceRecord; created: boolean; changed: readonly string[] }> {
  checkVariableNames({ config: body.config ?? {}, secrets: body.secrets ?? {} });
  if (typeof body.branch === 'string') parseBranchName(body.branch);
  const changeId = deps.newId('variableChange');
  return checkAgain(() => checkAndPut(deps, caller, { body, changeId }));
}

async function checkAndPut(
  deps: PutServiceDeps,
  caller: Caller,
  { body, changeId }: { readonly body: PutServiceBody; readonly changeId: string },
) {
  const { name, org: wantedOrg, config = {}, secrets = {}, ...plain } = body;
  const existing = await deps.services.find(name);
  const org = ownerOf(caller, existing, wantedOrg, name);
  const { gitUrl } = plain;
  if (typeof gitUrl === 'string' && gitUrl !== existing?.gitUrl) checkSource(gitUrl, { deps, caller });
  if (existing !== null && gitUrl !== undefined && !isSameSource(deps, gitUrl, existing.gitUrl)) {
    // It would build, and be given a role on, whatever repository of the owner it names.
    requireOwner(existing, caller, 'decide from which repository it is built');
  }
  const at = deps.now();
  const mark = { changedAt: at, changedBy: caller.name };
  const context = { cipher: deps.cipher, service: name, environment: null, mark };
  const variables = sealChanges(context, { config, secrets });
  checkVariableBounds(existing, null, variables);
  const changes = definedFields({ ...plain, ...variables });
  const key = { id: deps.newId('service'), name, org };
  const namesVariables = Object.keys({ ...config, ...secrets }).length > 0;
  const names = namesOf({ config, secrets }, existing);
  const begin = (serviceId: string): Promise<void> =>
    deps.history.begin({ id: changeId, serviceId, environment: null, changedBy: caller.name, at, ...names });
  if (namesVariables && existing !== null) await begin(existing.id);
  const put = await deps.services.upsert(key, changes, namesVariables ? (existing?.variablesRevision ?? 0) : undefined);
  if (namesVariables) {
    // Of a new service, whose id is known only now.
    if (existing === null) await begin(put.service.id);
    await deps.history.confirm(changeId);
  }
  const changed = Object.entries(definedFields(plain)).filter(
    ([field, value]) => JSON.stringify(existing?.[field as keyof ServiceRecord] ?? null) !== JSON.stringify(value),
  );
  return { ...put, changed: changed.map(([field]) => field) };
}

/** True for two spellings of one address, such as that of SSH and with `.git`. */
function isSameSource(
  { platformGitUrl }: Pick<PutServiceDeps, 'platformGitUrl'>,
  wanted: string | null,
  stored: string | null,
): boolean {
  if (wanted === stored || wanted === null || stored === null) return wanted === stored;
  const [one, other] = [wanted, stored].map((gitUrl) => {
    const target = parseGitUrl(gitUrl, platformGitUrl);
    return (target.kind === 'local' ? target.path : target.url).replace(/\.git$/, '');
  });
  return one === other;
}

/** Names that are set, and those that are taken away by null. */
function namesOf(
  { config, secrets }: { readonly config: VariableValues; readonly secrets: VariableValues },
  existing: ServiceRecord | null,
): Pick<VariableHistoryEntry, 'set' | 'setSecret' | 'unset'> {
  const set = (values: VariableValues): string[] => Object.keys(values).filter((name) => values[name] !== null);
  const unset = (values: VariableValues, stored: object): string[] =>
    Object.keys(values).filter((name) => values[name] === null && Object.hasOwn(stored, name));
  const gone = [...unset(config, existing?.config ?? {}), ...unset(secrets, existing?.secrets ?? {})];
  return { set: set(config), setSecret: set(secrets), unset: gone };
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

/** A folder of the builder's machine holds what its operator put there: only an administrator may have it built. */
export function checkSource(
  gitUrl: string,
  { deps, caller }: { deps: Pick<PutServiceDeps, 'platformGitUrl' | 'localSourcesRoot'>; caller: Caller },
): void {
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

/** An absent field keeps what is stored, so `undefined` must not reach the store. */
function definedFields(fields: { [K in keyof ServiceChanges]: ServiceChanges[K] | undefined }): ServiceChanges {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
