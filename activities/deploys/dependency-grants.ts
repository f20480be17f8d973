import { type Catalog, MOST_SCOPES } from '../../domain/catalog/catalog.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { databaseScope } from '../../domain/databases/consumer.ts';
import { FairleadError } from '../../domain/errors.ts';
import { blockOf, type Grant, type GrantBlock, type GrantKey, partyOf } from '../../domain/grants/grant.ts';
import type { GrantRequest } from '../../domain/grants/messages.ts';
import { dependencyScopes, hasScopesOf } from '../../domain/oauth-clients/derive-client.ts';
import type { DeploysDeps } from './deps.ts';
import { targetsOf } from './pending-grants.ts';
import type { StepContext } from './step.ts';

type Deps = Pick<DeploysDeps, 'services' | 'grants' | 'grantCommands'>;

/** Scopes that a catalog declares of a service of another org, which has not authorized this one. */
export interface ForeignScopes {
  readonly key: GrantKey;
  readonly scopes: readonly string[];
}

/** A grant that keeps a build from going on, as the build record names it. */
export interface BlockedGrant {
  readonly id: string;
  readonly service: string;
  readonly state: GrantBlock;
  readonly scopes: readonly string[];
}

/** What the service needs grants for. A service without a client has no tokens, and so needs none for scopes. */
export async function foreignScopes(
  { services }: Pick<Deps, 'services'>,
  service: ServiceRecord,
  environment: StepContext['build']['environment'],
  catalog: Pick<Catalog, 'dependencies' | 'auth'>,
): Promise<readonly ForeignScopes[]> {
  const foreign: ForeignScopes[] = [];
  for (const target of await targetsOf({ services }, catalog)) {
    if (hasScopesOf(target, service.org)) continue;
    const declared = catalog.dependencies.filter(({ service: name }) => name === target.name);
    const ofTokens = catalog.auth === null ? [] : declared.flatMap((one) => dependencyScopes(one).scopes);
    const ofDatabases = declared.flatMap(({ databases = [] }) =>
      databases.map(({ type: engine, access }) => databaseScope({ engine, access })),
    );
    const scopes = [...new Set([...ofTokens, ...ofDatabases])];
    if (scopes.length > MOST_SCOPES) {
      throw new FairleadError('CATALOG_INVALID', `spec.dependencies: at most ${MOST_SCOPES} scopes of ${target.name}`);
    }
    if (scopes.length > 0)
      foreign.push({ key: { holder: partyOf(service), environment, target: partyOf(target) }, scopes });
  }
  return foreign;
}

/**
 * Asks for what is not granted yet, and ends the build unless all of it is (spec 2, "Scope grant states"). Idempotent.
 * @throws SCOPE_GRANT_BLOCKED naming each grant and the command; UNAVAILABLE of `identity-provider` when no worker answers
 */
export async function requireGrants(
  deps: Deps,
  { build }: Pick<StepContext, 'build'>,
  needed: readonly ForeignScopes[],
): Promise<void> {
  const blocked: BlockedGrant[] = [];
  for (const { key, scopes } of needed) {
    const request = { scopes, by: build.requestedBy, as: 'deploy', requestId: build.requestId } as const;
    const grant = await askedGrant(deps, key, request);
    const state = blockOf(grant, scopes);
    if (state !== null) blocked.push({ id: grant.id, service: key.target.name, state, scopes });
  }
  if (blocked.length === 0) return;
  throw grantsBlocked(blocked, { asker: askerOf(needed), deployAgain: build.waitForGrantsSeconds === undefined });
}

/**
 * The grant after the deploy asked. Of one that is decided the record says all: no deploy changes it. One that is pending
 * is asked for in any case, so that its workflow is there for the signals of operators.
 */
async function askedGrant(
  { grants, grantCommands }: Deps,
  key: GrantKey,
  request: GrantRequest,
): Promise<Pick<Grant, 'id' | 'status' | 'granted'>> {
  const found = await grants.findFor(key);
  if (found !== null && found.status !== 'pending') return found;
  return await reached(() => grantCommands.request(key, request));
}

/** What the records say about the scopes; null where somebody has to ask, as after a grant was removed. */
export async function readBlockedGrants(
  { grants }: Pick<Deps, 'grants'>,
  needed: readonly ForeignScopes[],
): Promise<readonly BlockedGrant[] | null> {
  const blocked: BlockedGrant[] = [];
  for (const { key, scopes } of needed) {
    const grant = await grants.findFor(key);
    if (grant === null) return null;
    const state = blockOf(grant, scopes);
    if (state !== null) blocked.push({ id: grant.id, service: key.target.name, state, scopes });
  }
  return blocked;
}

/** Options of the command line that name who asks, also from another folder: ` --service cart`, and ` --env uat` outside prod. */
export function askerOf(needed: readonly ForeignScopes[]): string {
  const key = needed[0]?.key;
  if (key === undefined) return '';
  return ` --service ${key.holder.name}${key.environment === 'prod' ? '' : ` --env ${key.environment}`}`;
}

/**
 * @param asker see {@link askerOf}
 * @param deployAgain false for a build that goes on by itself after an approval
 * @param hasWaited of a build that waited: it is not told that a build can wait
 */
export function grantsBlocked(
  blocked: readonly BlockedGrant[],
  {
    asker,
    deployAgain = true,
    hasWaited = false,
  }: { readonly asker: string; readonly deployAgain?: boolean; readonly hasWaited?: boolean },
): FairleadError {
  const lines = blocked.map((grant) => {
    const next = deployAgain && grant.state === 'pending' ? ', then deploy again' : '';
    return `${grant.service}: ${SAID[grant.state](grant, asker)}${next}`;
  });
  if (deployAgain && !hasWaited && blocked.every(({ state }) => state === 'pending')) {
    lines.push('To wait for the decision instead: `fairlead deploy --wait-for-grants`');
  }
  return new FairleadError('SCOPE_GRANT_BLOCKED', ['Deploy blocked: scope grants are missing.', ...lines].join('\n'), {
    details: { blockedGrants: blocked },
  });
}

/** Who has to do what, for each grant that nobody has decided yet. */
export function awaitedGrants(blocked: readonly BlockedGrant[]): readonly string[] {
  return blocked
    .filter(({ state }) => state === 'pending')
    .map((grant) => `${grant.service}: ${SAID.pending(grant, '')}`);
}

const SAID: Readonly<Record<GrantBlock, (grant: BlockedGrant, asker: string) => string>> = {
  pending: ({ id, scopes }) =>
    `grant ${id} is pending for ${scopes.join(', ')}; an admin of its org runs \`fairlead grants approve ${id}\``,
  approved_missing: ({ id, scopes, service }, asker) =>
    `grant ${id} is approved, but not for all of ${scopes.join(', ')}; its org runs \`fairlead grants revoke ${id}\`, you run \`fairlead grants request ${service} ${scopes.join(' ')}${asker}\`, and its org approves`,
  denied: ({ id }) =>
    `grant ${id} was denied; an admin of its org can still approve it: \`fairlead grants approve ${id}\``,
  revoked: ({ id, scopes, service }, asker) =>
    `grant ${id} was revoked; ask anew with \`fairlead grants request ${service} ${scopes.join(' ')}${asker}\``,
};

/** Gives the client what was approved: after the deploy made it. */
export async function applyGrants({ grantCommands }: Pick<Deps, 'grantCommands'>, needed: readonly ForeignScopes[]) {
  for (const { key } of needed) await reached(() => grantCommands.apply(key));
}

/** The workflows of grants wait for the identity provider; without it nothing is granted, and the build goes on. */
async function reached<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'UNAVAILABLE') throw error;
    const message = 'Scope grants could not be looked at: no worker answers that reaches the identity provider.';
    throw new FairleadError('UNAVAILABLE', message, { cause: error, system: 'identity-provider', retryable: true });
  }
}
