import type { Catalog } from '../../domain/catalog/catalog.ts';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import { undoEpoch } from '../../domain/deploys/epoch.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ClientAdministration } from '../../domain/oauth-clients/administration-port.ts';
import type { SignInRule } from '../../domain/sign-in-rule.ts';
import type { DeploysDeps } from './deps.ts';
import { epochOfBuild } from './epoch-of-build.ts';
import { note } from './open-build.ts';
import { findService } from './service-lookup.ts';
import type { StepContext } from './step.ts';

/** Who may sign in to a service at the identity provider, as its catalogs say. */

type Deps = Pick<DeploysDeps, 'clients' | 'services' | 'builds' | 'epochs'>;

/** Whom a catalog lets in; null where nobody signs in. Catalogs in records of earlier versions have no such section. */
export function signInRuleOf(catalog: Pick<Catalog, 'auth' | 'userAccess'>): SignInRule | null {
  if (catalog.auth?.mode !== 'sso') return null;
  return catalog.userAccess?.signIn ?? 'anyone';
}

/**
 * Sets the rule in the epoch of the build: a worker that was paused meanwhile lets in nobody whom a later build keeps out.
 * @returns whether that is another rule than before
 * @throws CLIENT_NOT_FOUND; CONFLICT when something newer acts on the service; UNAVAILABLE of `identity-provider`
 */
export async function setSignInRule(
  deps: Deps,
  { build, signal }: Pick<StepContext, 'build' | 'signal'>,
  signIn: SignInRule,
  epochOf: (epoch: number) => number = (epoch) => epoch,
): Promise<boolean> {
  const [{ name: service, org: orgSlug }, epoch] = await Promise.all([
    findService(deps, build),
    epochOfBuild(deps, build),
  ]);
  const request = { service, environment: build.environment, orgSlug, signIn, epoch: epochOf(epoch) };
  return (await requireProvider(deps).setSignIn(request, signal)).changed;
}

function requireProvider({ clients }: Deps): Pick<ClientAdministration, 'setSignIn'> {
  if (clients !== null) return clients;
  const message = 'No identity provider is configured on the worker: set IDP_URL and IDP_INTERNAL_KEY.';
  throw new FairleadError('UNAVAILABLE', message, { system: 'identity-provider' });
}

type RestoreDeps = Deps & Pick<DeploysDeps, 'releases' | 'log' | 'now'>;

/**
 * Undoes the step `user-access` of a build that failed: the release that serves lets in whom its own catalog lets in.
 * Idempotent, also where the step changed nothing. Where no release serves, or its catalog is not known any more, the
 * narrower rule stays.
 * @throws UNAVAILABLE
 */
export async function restoreUserAccess(deps: RestoreDeps, build: BuildRequest, signal: AbortSignal): Promise<void> {
  const catalog = await catalogOfActive(deps, build);
  const rule = catalog === null ? null : signInRuleOf(catalog);
  if (rule === null || deps.clients === null) return;
  try {
    const changed = await setSignInRule(deps, { build, signal }, rule, undoEpoch);
    if (changed) await note(deps, build.buildId, `Sign-in is for ${PEOPLE[rule]} again.`, 'warn', 'user-access');
  } catch (error) {
    // Nobody signs in to a client, or a service, that is gone; what is newer sets the rule itself.
    if (!(error instanceof FairleadError) || !GONE.has(error.code)) throw error;
  }
}

/** The catalog of the release that serves; null where none does, or its catalog is not known any more. */
export async function catalogOfActive(
  { releases, builds }: Pick<DeploysDeps, 'releases' | 'builds'>,
  { service, environment }: Pick<BuildRequest, 'service' | 'environment'>,
): Promise<Catalog | null> {
  const active = await releases.active(service, environment);
  return active === null ? null : ((await builds.find(active.buildId))?.facts.catalog ?? null);
}

const GONE: ReadonlySet<string> = new Set(['CLIENT_NOT_FOUND', 'SERVICE_NOT_FOUND', 'CONFLICT']);

export const PEOPLE: Readonly<Record<SignInRule, string>> = {
  anyone: 'anyone with an account',
  members: 'members of the org that owns the service',
};
