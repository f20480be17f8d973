import type { BuildRecord, BuildRequest } from '../../domain/deploys/build.ts';
import { planDeploy } from '../../domain/deploys/plan.ts';
import type { StepKey } from '../../domain/deploys/steps.ts';
import type { LogLevel } from '../../domain/logs/log-line.ts';
import type { DeploysDeps } from './deps.ts';

/** Creates the record of a new build. Idempotent on the build id. */
export async function openBuild(deps: DeploysDeps, request: BuildRequest): Promise<void> {
  const { buildId, requestedBy, org, requestId } = request;
  await deps.builds.create(newRecord(request, deps.clock()));
  await noteOnce(deps, buildId, `Queued by ${requestedBy} (${org}), request ${requestId}`, 'queued');
}

/** Whether a build has its source already, and at which commit. Reads only. */
export async function readSourceProgress(
  deps: DeploysDeps,
  buildId: string,
): Promise<{ cloned: boolean; commitSha: string | null }> {
  const record = await deps.builds.find(buildId);
  const source = record?.steps.find(({ key }) => key === 'source');
  return { cloned: source?.state === 'completed', commitSha: record?.commitSha ?? null };
}

/** Says in the log of the build in flight who asked for the same again. Idempotent on the id the request came with. */
export async function noteAttached(
  deps: DeploysDeps,
  input: { buildId: string; request: BuildRequest },
): Promise<void> {
  const { requestedBy, org, requestId } = input.request;
  const text = `Attached: ${requestedBy} (${org}) asked for the same build, request ${requestId}`;
  await noteOnce(deps, input.buildId, text, `attached/${input.request.buildId}`);
}

/** Local activities run again whenever their workflow task is lost: their lines carry a key. */
async function noteOnce(deps: DeploysDeps, buildId: string, text: string, key: string): Promise<void> {
  await deps.log.append(buildId, [{ time: deps.clock(), step: null, level: 'info', text }], key);
}

/** Appends one line about the build as a whole, or about a step. */
export async function note(
  deps: DeploysDeps,
  buildId: string,
  text: string,
  level: LogLevel = 'info',
  step: StepKey | null = null,
): Promise<void> {
  await deps.log.append(buildId, [{ time: deps.clock(), step, level, text }]);
}

function newRecord(request: BuildRequest, now: Date): BuildRecord {
  const facts = request.resume?.facts ?? {};
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
    steps: planDeploy(facts.catalog ?? null, {
      kind: request.kind,
      fromStep: request.resume?.fromStep ?? null,
      runtime: 'docker',
    }),
    commitSha: facts.commitSha ?? (request.source.kind === 'git' ? request.source.commit : null),
    imageTag: facts.imageTag ?? null,
    imageDigest: facts.imageDigest ?? null,
    releaseId: request.releaseId,
    url: null,
    healthReportsCommit: null,
    diagnostics: [],
    blockedGrants: [],
    warnings: [],
    retryOf: request.resume?.buildId ?? null,
    supersededBy: null,
    facts,
    requestedBy: request.requestedBy,
    requestId: request.requestId,
    createdAt: now,
    startedAt: null,
    finishedAt: null,
  };
}
