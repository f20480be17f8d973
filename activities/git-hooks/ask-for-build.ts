import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { GitConnection } from '../../domain/git-hooks/connection.ts';
import { type LookOutcome, type LookReason, outcome } from '../../domain/git-hooks/delivery.ts';
import type { AskedBuild, PushedBuild } from '../../domain/git-hooks/messages.ts';
import { parseRef } from '../../domain/git-hooks/rule.ts';
import { type Deployer, findDeployer } from '../../domain/git-identities/find-deployer.ts';
import { hostOfRepository } from '../../domain/git-identities/git-host-name.ts';
import { serviceOf } from './deploy-targets.ts';
import type { GitHooksActivityDeps } from './deps.ts';

/**
 * Asks for a build that a look decided on, as `POST /builds/trigger` does, and notes its head. Idempotent: the build has its
 * id from the look, and a repeated attempt is answered as the first one was.
 * @throws UNAVAILABLE (retryable)
 */
export async function askForBuild(deps: GitHooksActivityDeps, pushed: PushedBuild): Promise<AskedBuild> {
  const { connectionId, serviceId, service, environment, ref, commit } = pushed;
  const of = (reason: LookReason, more: Partial<LookOutcome> = {}): AskedBuild => ({
    outcome: outcome(reason, { ref, service, environment, commit, ...more }),
    report: null,
  });
  const connection = await deps.gitConnections.find(connectionId);
  if (connection === null) return of('connection_removed');
  const found = await serviceOf(deps, connection, serviceId);
  if (typeof found === 'string') return of(found);
  let asked: Asked;
  try {
    asked = await ask(deps, pushed, found, await deployerOf(deps, connection, pushed, found));
  } catch (error) {
    if (!(error instanceof FairleadError) || error.retryable) throw error;
    return of('build_refused', { message: error.message });
  }
  // An attempt that was paused and goes on takes no later head for looked at.
  const key = { connectionId, serviceId, environment, ref };
  await deps.gitHeads.set(key, { seen: commit, built: commit }, pushed.before);
  const { buildId, attached } = asked;
  const report = { connectionId, buildId, service, environment, commit };
  return {
    ...of(attached ? 'attached' : 'deployed', { buildId }),
    report: connection.token === null ? null : report,
  };
}

interface Asked {
  readonly buildId: string;
  readonly attached: boolean;
}

async function ask(
  { commands, now }: GitHooksActivityDeps,
  pushed: PushedBuild,
  service: ServiceRecord,
  deployer: Deployer | null,
): Promise<Asked> {
  const { buildId, environment, commit, ref, requestedBy } = pushed;
  const parsed = parseRef(ref);
  const branch = parsed?.kind === 'branch' ? parsed.name : null;
  // The address of the service, as others ask for its builds: what is the same is built once.
  const url = service.gitUrl ?? '';
  const { buildId: askedId, deduplicated } = await commands.request({
    ...{ buildId, kind: 'deploy', serviceId: service.id, service: service.name, environment },
    // Of who pushed, where that is known and they may; else of the org that owns the service and connected it.
    org: deployer?.org ?? service.org,
    requestedBy: deployer?.userId ?? requestedBy,
    source: { kind: 'git', url, branch, commit },
    ...{ requestId: buildId, requestedAt: now().toISOString(), resume: null, releaseId: null },
  });
  return { buildId: askedId, attached: deduplicated };
}

/** The person who pushed. While it is not to be known who they are or may do, the push is of the org alone. */
async function deployerOf(
  { gitIdentities, members }: GitHooksActivityDeps,
  { provider, repository }: GitConnection,
  { confirmedPusher: pusher }: PushedBuild,
  service: ServiceRecord,
): Promise<Deployer | null> {
  const host = hostOfRepository(provider, repository);
  if (pusher === undefined || members === null || host === null) return null;
  try {
    return await findDeployer({ identities: gitIdentities, members }, { hostKey: host.key, ...pusher }, service);
  } catch (error) {
    if (error instanceof FairleadError) return null;
    throw error;
  }
}
