import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { BuildRecord } from '../../domain/deploys/build.ts';
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
 * id from the look, and a repeated attempt finds it, or the build in flight that it was attached to.
 * @throws UNAVAILABLE (retryable)
 */
export async function askForBuild(
  deps: GitHooksActivityDeps,
  pushed: PushedBuild,
  { isRepeated }: { readonly isRepeated: boolean },
): Promise<AskedBuild> {
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
    asked =
      (await askedBefore(deps, pushed, isRepeated)) ??
      (await ask(deps, pushed, found, await deployerOf(deps, connection, pushed, found)));
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

/**
 * The person who pushed. While it is not to be known who they are or may do, the push is of the org alone; so it is where a
 * plain token says nothing about what was sent.
 */
async function deployerOf(
  { gitIdentities, members }: GitHooksActivityDeps,
  { provider, repository, proof }: GitConnection,
  { pusher }: PushedBuild,
  service: ServiceRecord,
): Promise<Deployer | null> {
  const host = hostOfRepository(provider, repository);
  if (pusher === undefined || proof !== 'signature' || members === null || host === null) return null;
  try {
    return await findDeployer({ identities: gitIdentities, members }, { hostKey: host.key, ...pusher }, service);
  } catch (error) {
    if (error instanceof FairleadError) return null;
    throw error;
  }
}

const LATEST = { cursor: null, limit: 10 };

/** What an earlier attempt asked for, which did not live to say so. */
async function askedBefore(
  { builds }: GitHooksActivityDeps,
  { buildId, serviceId, environment, commit, decidedAt }: PushedBuild,
  isRepeated: boolean,
): Promise<Asked | null> {
  if (!isRepeated) return null;
  if ((await builds.find(buildId)) !== null) return { buildId, attached: false };
  const { items } = await builds.list({ serviceId, environment }, LATEST);
  const attached = items.find((build) => isOf(build, commit) && wasOpenAt(build, new Date(decidedAt)));
  return attached === undefined ? null : { buildId: attached.id, attached: true };
}

function isOf({ kind, source, commitSha }: BuildRecord, commit: string): boolean {
  return kind !== 'rollback' && source.kind === 'git' && (commitSha ?? source.commit) === commit;
}

function wasOpenAt({ finishedAt, reason }: BuildRecord, at: Date): boolean {
  return finishedAt === null || (finishedAt > at && reason !== 'superseded' && reason !== 'cancelled');
}
