import type { BuildRecord, BuildRequest, PlannedStep } from '../../domain/deploys/build.ts';
import { notBegun, planDeploy, stepsToRun } from '../../domain/deploys/plan.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { LogLevel } from '../../domain/logs/log-line.ts';
import type { DeploysDeps } from './deps.ts';
import { type PlanDeps, planContext } from './replan.ts';

type Deps = Pick<DeploysDeps, 'builds' | 'log' | 'now'>;
type OpenDeps = Deps & PlanDeps & Pick<DeploysDeps, 'services'>;

/**
 * Creates the record of a new build with its plan. Idempotent on the build id: the plan that was stored first stays.
 * @returns what the stored plan has to run; null when a worker of version 0.1 stored it, which says nowhere how steps run;
 *   `ended` for a build that was asked for once more after its end, as by a worker that was paused: it does not run again;
 *   the build that the request was attached to before, where another attempt of it comes late: it has no build of its own
 * @throws SERVICE_NOT_FOUND when the service was removed, or is being removed; UNAVAILABLE when another version stored a plan that this one cannot read: a worker of that version can
 */
export async function openBuild(
  deps: OpenDeps,
  request: BuildRequest,
): Promise<readonly PlannedStep[] | 'ended' | { readonly attachedTo: string } | null> {
  const { buildId, requestedBy, org, requestId } = request;
  const attachedTo = await deps.builds.attachedTo(buildId);
  if (attachedTo !== null) return { attachedTo };
  // One that was opened before the removal of its service began is not refused when it is opened once more.
  const isNew = (await deps.builds.stateOf(buildId)) === null;
  if (isNew) await requireKept(deps, request);
  const record = await newRecord(deps, request);
  const [stored] = await Promise.all([
    deps.builds.create(record),
    noteOnce(deps, buildId, `Queued by ${requestedBy} (${org}), request ${requestId}`, 'queued'),
  ]);
  if (isTerminal(stored.status)) return 'ended';
  if (isNew) await endIfRemoved(deps, request);
  return storedPlan(stored);
}

/** Looks at the service as a majority of the database has it: by this a build begins. @throws SERVICE_NOT_FOUND */
async function requireKept({ services }: OpenDeps, request: BuildRequest): Promise<void> {
  const service = await services.findConfirmed(request.serviceId);
  if (service !== null && service.removingSince === null) return;
  const what = service === null ? 'was removed' : 'is being removed';
  throw new FairleadError('SERVICE_NOT_FOUND', `Service not found: ${request.service} ${what}.`);
}

/**
 * A removal begins, then looks for open builds. One that did both between the look at the service and the record of the build
 * found none: the build ends before it runs. One that another attempt of this has let begin meanwhile is the removal's and its steps'.
 * @throws SERVICE_NOT_FOUND
 */
async function endIfRemoved(deps: OpenDeps, request: BuildRequest): Promise<void> {
  try {
    await requireKept(deps, request);
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'SERVICE_NOT_FOUND') throw error;
    const failure = { code: error.code, message: error.message, step: null };
    const end = { status: 'failed', reason: 'step_failed', supersededBy: null, failure } as const;
    if (await deps.builds.finishUnbegun(request.buildId, { ...end, finishedAt: deps.now() })) throw error;
  }
}

/** A step that was left out because it could not be read would be missed by nobody: the build would succeed without it. */
function storedPlan({ id, steps }: BuildRecord): readonly PlannedStep[] | null {
  const unread = steps.find(({ state }) => state === 'unknown');
  if (unread !== undefined) {
    const message = `Another version of the platform planned build ${id}; this worker cannot read its step ${unread.key}.`;
    throw new FairleadError('UNAVAILABLE', message, { retryable: true });
  }
  return steps.some(({ state, run }) => state === 'pending' && run === null) ? null : stepsToRun(steps);
}

/** Whether a build has its source already, and at which commit. Reads only. */
export async function readSourceProgress(
  deps: Deps,
  buildId: string,
): Promise<{ cloned: boolean; commitSha: string | null }> {
  const record = await deps.builds.find(buildId);
  const source = record?.steps.find(({ key }) => key === 'source');
  return { cloned: source?.state === 'completed', commitSha: record?.commitSha ?? null };
}

/**
 * Notes that a request has a build in flight for its own, and says in its log who asked for the same again. Idempotent on the
 * id the request came with.
 */
export async function noteAttached(deps: Deps, input: { buildId: string; request: BuildRequest }): Promise<void> {
  const { requestedBy, org, requestId } = input.request;
  await deps.builds.noteAttached(input.request.buildId, input.buildId);
  const text = `Attached: ${requestedBy} (${org}) asked for the same build, request ${requestId}`;
  await noteOnce(deps, input.buildId, text, `attached/${input.request.buildId}`);
}

/** Local activities run again whenever their workflow task is lost: their lines carry a key. */
async function noteOnce(deps: Pick<Deps, 'log' | 'now'>, buildId: string, text: string, key: string): Promise<void> {
  await deps.log.append(buildId, [{ time: deps.now(), step: null, level: 'info', text }], key);
}

/** Appends one line about the build as a whole, or about a step. */
export async function note(
  deps: Pick<DeploysDeps, 'log' | 'now'>,
  buildId: string,
  text: string,
  level: LogLevel = 'info',
  step: string | null = null,
): Promise<void> {
  await deps.log.append(buildId, [{ time: deps.now(), step, level, text }]);
}

async function newRecord(deps: OpenDeps, request: BuildRequest): Promise<BuildRecord> {
  const facts = request.resume?.facts ?? {};
  const context = await planContext(deps, request, facts);
  return {
    id: request.buildId,
    kind: request.kind,
    serviceId: request.serviceId,
    service: request.service,
    environment: request.environment,
    org: request.org,
    source: request.source,
    status: 'queued',
    reason: null,
    failure: null,
    steps: planDeploy(context).map(notBegun),
    commitSha: facts.commitSha ?? (request.source.kind === 'git' ? request.source.commit : null),
    imageTag: facts.imageTag ?? null,
    imageDigest: facts.imageDigest ?? null,
    releaseId: request.releaseId,
    url: null,
    healthReportsCommit: null,
    diagnostics: [],
    blockedGrants: [],
    waiting: null,
    warnings: [],
    retryOf: request.resume?.buildId ?? null,
    supersededBy: null,
    epoch: null,
    facts,
    requestedBy: request.requestedBy,
    requestId: request.requestId,
    createdAt: deps.now(),
    startedAt: null,
    finishedAt: null,
  };
}
