import type { AuditEvent } from '../../domain/audit/audit-event.ts';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { BuildFailure, BuildRecord, BuildRequest, FailureReason } from '../../domain/deploys/build.ts';
import type { DeploysDeps } from './deps.ts';

/** How a build ended. */
export interface BuildEnd {
  readonly build: BuildRequest;
  readonly status: 'completed' | 'failed';
  readonly reason: FailureReason | null;
  readonly failure: BuildFailure | null;
}

/**
 * Tells the audit ledger how a build ended (spec 2, "Events"): `service.deployed` for one that is live, `build.failed` for
 * a failed step. One that was cancelled or superseded is no error. Idempotent: the build's id is in the event's key.
 */
export async function auditBuild(
  { audit, services }: Pick<DeploysDeps, 'audit'> & { readonly services: Pick<ServiceStore, 'find'> },
  input: BuildEnd,
  record: BuildRecord | null,
): Promise<void> {
  if (audit === null) return;
  const event = eventOf(input, record);
  if (event === null) return;
  // Whoever may deploy it, the owner reads what was done to it.
  const service = await services.find(input.build.serviceId);
  await audit.record({ ...event, orgSlug: service?.org ?? input.build.org });
}

type BuildEvent = Omit<AuditEvent, 'orgSlug'>;

function eventOf({ build, status, reason, failure }: BuildEnd, record: BuildRecord | null): BuildEvent | null {
  const { buildId, service, environment, org, kind, requestedBy, requestId } = build;
  const common = { subject: service, actor: requestedBy, requestId, address: null, time: null };
  const data = { buildId, service, environment, org, kind, commit: record?.commitSha ?? null };
  if (status === 'completed') {
    const { imageDigest = null, releaseId = null, url = null } = record ?? {};
    const live = { ...data, imageDigest, releaseId: record?.facts.releaseId ?? releaseId, url };
    return { ...common, id: `service.deployed/${buildId}`, type: 'service.deployed', data: live };
  }
  if (reason !== 'step_failed' || failure === null) return null;
  // The message may quote what a build printed; the code and the step are enough to find it by.
  const failed = { ...data, step: failure.step, code: failure.code };
  return { ...common, id: `build.failed/${buildId}`, type: 'build.failed', data: failed };
}
