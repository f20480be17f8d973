import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { Clock } from '../../domain/clock.ts';
import type { BuildRecord, BuildRequest, BuildSource, StepState } from '../../domain/deploys/build.ts';
import type { BuildStore } from '../../domain/deploys/build-store.ts';
import { GRANT_WAIT_SECONDS } from '../../domain/deploys/build-wait.ts';
import { earlierRelease } from '../../domain/deploys/earlier-release.ts';
import { parseBranchName } from '../../domain/deploys/git-url.ts';
import type { DeployCommands, TriggerOutcome } from '../../domain/deploys/messages.ts';
import type { Release } from '../../domain/deploys/release.ts';
import type { ReleaseStore } from '../../domain/deploys/release-store.ts';
import { ACTING_STEPS } from '../../domain/deploys/steps.ts';
import type { Environment } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { NewId } from '../../domain/ids.ts';
import { mayUse } from '../catalog/access.ts';
import type { Caller } from '../http/caller.ts';
import { requestedBuildId } from './requested-build-id.ts';

export interface RequestBuildDeps {
  readonly commands: DeployCommands;
  readonly services: Pick<ServiceStore, 'findConfirmed'>;
  readonly builds: BuildStore;
  readonly releases: ReleaseStore;
  /** Told of each build that is asked for; returns at once. */
  readonly deployed: (caller: Caller) => void;
  readonly newId: NewId;
  readonly now: Clock;
}

interface Wanted extends Pick<BuildRequest, 'kind' | 'source'> {
  readonly service: ServiceRecord;
  readonly environment: Environment;
  readonly resume?: BuildRequest['resume'];
  readonly releaseId?: string;
  /** What the request says, as it came. */
  readonly payload: unknown;
  /** Undefined when conventions are checked. */
  readonly skipConventionCheck?: string | undefined;
  /** Absent when the build does not wait for grants. */
  readonly waitForGrantsSeconds?: number;
}

export type TriggerReply = TriggerOutcome & { readonly service: string; readonly environment: Environment };

/**
 * Asks the coordinator for a build and says what became of the request.
 * @throws VALIDATION_FAILED, IDEMPOTENCY_KEY_MISMATCH, UNAVAILABLE; SERVICE_NOT_FOUND when the org of the caller was taken out meanwhile: the build is cancelled
 */
export async function requestBuild(
  deps: RequestBuildDeps,
  by: { caller: Caller; requestId: string; headers: Readonly<Record<string, unknown>> },
  wanted: Wanted,
): Promise<TriggerReply> {
  const { service, environment, kind, source, resume = null, releaseId = null, payload } = wanted;
  const { skipConventionCheck, waitForGrantsSeconds } = wanted;
  const of = resume?.buildId ?? (kind === 'rollback' ? service.id : null);
  const buildId = await requestedBuildId(deps, by, { serviceId: service.id, environment, kind, of, payload });
  const outcome = await deps.commands.request({
    buildId,
    kind,
    serviceId: service.id,
    service: service.name,
    environment,
    // Stamped with the org of whoever asks (spec 2, Authentication, 2); a super admin may be in none.
    org: by.caller.org || service.org,
    source,
    requestedBy: by.caller.name,
    requestId: by.requestId,
    requestedAt: deps.now().toISOString(),
    resume,
    releaseId,
    // By the internal key a console calls for whoever is signed in there (spec 2, "Authentication", 1).
    ...(by.caller.kind === 'platform-admin' && { byPlatformAdmin: true }),
    ...(skipConventionCheck === undefined ? {} : { skipConventionCheck }),
    ...(waitForGrantsSeconds === undefined ? {} : { waitForGrantsSeconds }),
  });
  await requireStillShared(deps, by.caller, wanted, outcome);
  deps.deployed(by.caller);
  return { ...outcome, service: service.name, environment };
}

/**
 * An org that shares the service may be taken out between the look-up and the build. Whoever took it out was told of its
 * open builds, and not of this one. One that is joined was asked for by another request.
 */
async function requireStillShared(
  { services, commands }: Pick<RequestBuildDeps, 'services' | 'commands'>,
  caller: Caller,
  { service, environment }: Wanted,
  { buildId, deduplicated }: TriggerOutcome,
): Promise<void> {
  if (mayUse(caller, { org: service.org, authorizedOrgs: [] })) return;
  const now = await services.findConfirmed(service.id);
  if (now !== null && mayUse(caller, now)) return;
  if (!deduplicated) await commands.cancel({ buildId, service: service.name, environment });
  throw new FairleadError('SERVICE_NOT_FOUND', `Service not found: ${service.name}`);
}

/** How long a build waits for grants, as it is asked for. @throws VALIDATION_FAILED for a time of no wait */
export function waitForGrants(asked: {
  readonly waitForGrants?: boolean | undefined;
  readonly waitForGrantsSeconds?: number | undefined;
}): Pick<Wanted, 'waitForGrantsSeconds'> {
  const { waitForGrants: isWaiting, waitForGrantsSeconds: seconds } = asked;
  if (isWaiting === true) return { waitForGrantsSeconds: seconds ?? GRANT_WAIT_SECONDS.default };
  if (seconds === undefined) return {};
  const message = 'waitForGrantsSeconds: has no meaning without waitForGrants: true';
  throw new FairleadError('VALIDATION_FAILED', message, { details: [{ field: 'waitForGrantsSeconds', message }] });
}

/** What a trigger builds. @throws SOURCE_MISSING for a service without a git URL; SOURCE_REFUSED for a bad branch name. */
export function gitSource(service: ServiceRecord, wanted: { branch?: string; commit?: string }): BuildSource {
  if (service.gitUrl === null) {
    const message = `Service ${service.name} has no git URL: set one with POST /services, or deploy by POST /builds/upload`;
    throw new FairleadError('SOURCE_MISSING', message);
  }
  const branch = wanted.branch === undefined ? service.branch : parseBranchName(wanted.branch);
  return { kind: 'git', url: service.gitUrl, branch, commit: wanted.commit ?? null };
}

/**
 * Where a retry goes on: `wanted`, or the step that failed.
 * @throws BUILD_NOT_RETRYABLE, STEP_UNKNOWN
 */
export function retryStep(build: BuildRecord, wanted: string | undefined): string {
  if (build.status !== 'failed') throw notRetryable(build, `it is ${build.status}; only failed builds are`);
  if (build.kind === 'rollback') throw notRetryable(build, 'it is a rollback; roll back again instead');
  if (build.kind === 'restart') throw notRetryable(build, 'it is a restart; deploy instead');
  const valid: readonly string[] = ACTING_STEPS.map(({ key }) => key);
  const reached = reachedStep(build, valid);
  if (wanted === undefined) return reached;
  const step = valid.find((key) => key === wanted);
  if (step === undefined) {
    throw new FairleadError('STEP_UNKNOWN', `fromStep: no such step; one of ${valid.join(', ')}`, {
      details: { valid },
    });
  }
  if (valid.indexOf(step) > valid.indexOf(reached)) {
    throw notRetryable(
      build,
      `${step} comes after ${reached}, which has not succeeded yet; retry from there or earlier`,
    );
  }
  return step;
}

/** The first step of the build's own plan that has not ended well; a later version may have steps besides. */
function reachedStep(build: BuildRecord, valid: readonly string[]): string {
  const passed: readonly StepState[] = ['completed', 'reused', 'warned', 'skipped'];
  const open = build.steps.filter(({ state }) => !passed.includes(state)).map(({ key }) => key);
  return valid.find((key) => open.includes(key)) ?? build.failure?.step ?? 'source';
}

/** A retry builds the very commit that failed, not what the branch holds now. */
export function retrySource(build: BuildRecord): BuildSource {
  const { source } = build;
  return source.kind === 'git' ? { ...source, commit: build.commitSha ?? source.commit } : source;
}

/** The release to go back to: the one asked for, or an earlier one whose tests did not fail. @throws RELEASE_NOT_FOUND */
export async function rollbackTarget(
  deps: Pick<RequestBuildDeps, 'releases' | 'builds'>,
  service: ServiceRecord,
  environment: Environment,
  releaseId: string | undefined,
): Promise<Release> {
  if (releaseId === undefined) {
    const previous = await earlierRelease(deps, { service: service.name, environment });
    if (previous !== null) return previous;
    const message = `${service.name} has no earlier release in ${environment} whose tests did not fail; name another one to go back to it`;
    throw new FairleadError('RELEASE_NOT_FOUND', message);
  }
  const release = await deps.releases.find(releaseId);
  const served = release !== null && release.service === service.name && release.environment === environment;
  if (!served || release.activatedAt === null) {
    throw new FairleadError('RELEASE_NOT_FOUND', `No such release ever served ${service.name} in ${environment}`);
  }
  return release;
}

/** A rollback fetches nothing; its record names the source the release was made from. */
export async function rollbackSource(
  builds: BuildStore,
  service: ServiceRecord,
  release: Release,
): Promise<BuildSource> {
  const build = await builds.find(release.buildId);
  if (build !== null) return retrySource(build);
  return { kind: 'git', url: service.gitUrl ?? '', branch: null, commit: release.commitSha };
}

function notRetryable(build: BuildRecord, why: string): FairleadError {
  return new FairleadError('BUILD_NOT_RETRYABLE', `Build ${build.id} cannot be retried: ${why}`, {
    details: { status: build.status, kind: build.kind },
  });
}
