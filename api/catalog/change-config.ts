import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ChangeConfigBody } from '../../domain/config/config-schema.ts';
import { variableSets } from '../../domain/config/service-variables.ts';
import { checkVariableBounds } from '../../domain/config/variable-bounds.ts';
import {
  checkVariableNames,
  type RequestedVariables,
  sealChanges,
  type VariableValues,
} from '../../domain/config/variable-change.ts';
import type { VariableHistory } from '../../domain/config/variable-history.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { NewId } from '../../domain/ids.ts';
import { checkAgain } from '../check-again.ts';
import { type ImportDeps, importSecrets } from './import-secrets.ts';

export interface ChangeConfigDeps extends ImportDeps {
  readonly services: ServiceStore;
  readonly history: VariableHistory;
  readonly newId: NewId;
  readonly now: Clock;
}

export interface ConfigChanged {
  readonly changeId: string;
  readonly environment: ChangeConfigBody['environment'];
  readonly set: string[];
  readonly unset: string[];
  readonly absent: string[];
  readonly warnings: string[];
  /** As in `API_KEY (locker: lk://acme/main/stripe)`. */
  readonly imported: string[];
}

/**
 * Sets and removes variables of a service; all of them or none. They take effect with the next deploy (spec 2,
 * "Configuration variables and secrets", 1). Every handle resolves before anything is written. The history is written
 * first, so that no change is without its entry.
 * @throws LOCKER_…, VAULT_…, RESERVED_ENV_VAR, VALIDATION_FAILED, SERVICE_BUSY, SERVICE_NOT_FOUND, UNAVAILABLE without an encryption key,
 *   CONFLICT while others change the service again and again
 */
export async function changeConfig(
  deps: ChangeConfigDeps,
  service: ServiceRecord,
  { body, changedBy }: { readonly body: ChangeConfigBody; readonly changedBy: string },
): Promise<ConfigChanged> {
  const { environment, unset } = body;
  checkVariableNames({ config: body.set, secrets: body.secrets });
  refuseSetAndUnset(body);
  const { values, origins, warnings } = await importSecrets(deps, service, body.secrets);
  const at = deps.now();
  const mark = { changedAt: at, changedBy };
  const context = { cipher: deps.cipher, service: service.name, environment, mark, origins };
  const changes = sealChanges(context, requestedOf(body, values));
  checkVariableBounds(service, environment, changes);
  const present = namesIn(service, environment);
  const names = {
    set: [...Object.keys(body.set), ...Object.keys(body.secrets)],
    unset: unset.filter((name) => present.has(name)),
    absent: unset.filter((name) => !present.has(name)),
  };
  const secrets = variableSets(service).find((each) => each.environment === environment)?.set.secrets ?? {};
  const uncovered = Object.keys(body.set)
    .filter((name) => Object.hasOwn(secrets, name))
    .map(
      (name) =>
        `${name} was a secret, and is stored in clear now. To encrypt it again: \`fairlead config set --secret ${name}\``,
    );
  const changeId = deps.newId('variableChange');
  await deps.history.begin({
    ...{ id: changeId, serviceId: service.id, environment, changedBy, at },
    set: Object.keys(body.set),
    setSecret: Object.keys(body.secrets),
    unset: names.unset,
  });
  let seen: ServiceRecord | null = service;
  await checkAgain(async () => {
    seen ??= await deps.services.find(service.id);
    if (seen === null) throw notFound(service.name);
    const { variablesRevision } = seen;
    checkVariableBounds(seen, environment, changes);
    seen = null;
    const changed = await deps.services.changeVariables(service.id, environment, changes, variablesRevision);
    if (changed === null) throw notFound(service.name);
  });
  await deps.history.confirm(changeId);
  const imported = Object.entries(origins).map(([name, origin]) => `${name} (${origin.kind}: ${origin.name})`);
  return { changeId, environment, ...names, warnings: [...warnings, ...uncovered], imported };
}

function notFound(name: string): FairleadError {
  return new FairleadError('SERVICE_NOT_FOUND', `Service not found: ${name}`);
}

/** Removing takes a variable away whichever it is. */
function requestedOf({ set, unset }: ChangeConfigBody, secrets: VariableValues): RequestedVariables {
  const removed = Object.fromEntries(unset.map((name) => [name, null]));
  return { config: { ...removed, ...set }, secrets: { ...removed, ...secrets } };
}

function refuseSetAndUnset({ set, secrets, unset }: ChangeConfigBody): void {
  const both = unset.filter((name) => Object.hasOwn(set, name) || Object.hasOwn(secrets, name));
  if (both.length === 0) return;
  const details = both.map((name) => ({ field: 'unset', message: `${name} is set as well` }));
  throw new FairleadError('VALIDATION_FAILED', `${both.join(', ')}: set it or unset it, not both`, { details });
}

function namesIn(service: ServiceRecord, environment: ChangeConfigBody['environment']): ReadonlySet<string> {
  const set = variableSets(service).find((each) => each.environment === environment)?.set;
  return new Set([...Object.keys(set?.config ?? {}), ...Object.keys(set?.secrets ?? {})]);
}
