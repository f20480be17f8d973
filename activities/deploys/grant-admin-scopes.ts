import { FairleadError } from '../../domain/errors.ts';
import type { DerivedScopes } from '../../domain/oauth-clients/derive-client.ts';
import { isGrantedByDeployOfAdmin } from '../../domain/oauth-clients/platform-scopes.ts';
import type { DeploysDeps } from './deps.ts';
import type { StepContext } from './step.ts';

type Deps = Pick<DeploysDeps, 'clients'> & {
  readonly settings: { readonly gate: Pick<DeploysDeps['settings']['gate'], 'platformOrg'> };
};

/**
 * Scopes that a deploy grants though no catalog can: those that its service, which is of the platform's own org, declares of a
 * service of the platform, where an admin of the platform asked for the deploy of that very catalog (spec 3, "Authentication",
 * "Site registry").
 */
export function adminScopes(
  { settings }: Pick<Deps, 'settings'>,
  { build, facts }: Pick<StepContext, 'build' | 'facts'>,
  { org, refused }: { readonly org: string; readonly refused: DerivedScopes['refused'] },
): readonly string[] {
  if (build.byPlatformAdmin !== true || org !== settings.gate.platformOrg || !isOfRequest(build, facts)) return [];
  const ofPlatform = refused.filter(({ because }) => because === 'platform').map(({ scope }) => scope);
  return ofPlatform.filter(isGrantedByDeployOfAdmin);
}

/**
 * Whether the request itself named the catalog: an archive that came with it, or a commit by its whole id. A branch holds what
 * others pushed until it is cloned, an abbreviated id what others made to begin with it, and a retry the source of others.
 */
function isOfRequest({ source, resume }: StepContext['build'], { commitSha }: StepContext['facts']): boolean {
  if (resume !== null) return false;
  return source.kind === 'archive' || (source.commit !== null && source.commit === commitSha);
}

/**
 * Adds them to the client, in the name of who asked for the deploy, as the route for admins does. Idempotent: what it has is
 * not added again. With a provider that is away what is stored still works (spec 1, "OAuth client at deploy"): a warning.
 */
export async function grantAdminScopes(
  { clients }: Deps,
  { build, onLine, warn, signal }: Pick<StepContext, 'build' | 'onLine' | 'warn' | 'signal'>,
  { clientId, scopes }: { readonly clientId: string; readonly scopes: readonly string[] },
): Promise<void> {
  if (clients === null || scopes.length === 0) return;
  try {
    const { added } = await clients.addScopes({ clientId, scopes: [...scopes] }, { actor: build.requestedBy }, signal);
    if (added.length === 0) return;
    onLine(`Granted ${added.join(', ')}: ${build.requestedBy}, an admin of the platform, asked for this deploy`);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'UNAVAILABLE') throw error;
    warn(`${error.message} ${scopes.join(', ')} were not granted: deploy again.`);
  }
}
