import { conventionViolations, requireConventions } from '../../../domain/deploys/conventions.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { DeploysDeps } from '../deps.ts';
import { findService } from '../service-lookup.ts';
import { requireFacts, type StepContext } from '../step.ts';

/**
 * Checks the catalog against the conventions (spec 2, step 8). A skip is told to the audit ledger before anything is let
 * through, once for a build, whether or not there was something to skip.
 * @throws CONVENTION_CHECK_FAILED naming each violation that blocks, unless the check is skipped with a reason
 */
export async function checkConventions(
  deps: Pick<DeploysDeps, 'services' | 'audit'>,
  context: StepContext,
): Promise<BuildFacts> {
  const { build, facts, warn, onLine } = context;
  const { catalog } = requireFacts(facts, ['catalog']);
  const violations = conventionViolations(catalog);
  const reason = build.skipConventionCheck ?? null;
  if (reason !== null) {
    await tellSkip(deps, context, { reason, rules: [...new Set(violations.map(({ rule }) => rule))] });
    onLine(`Convention check skipped by ${build.requestedBy}: ${reason}`);
  }
  for (const { level, message } of violations) if (level === 'warn' || reason !== null) warn(message);
  if (reason === null) requireConventions(violations);
  return {};
}

async function tellSkip(
  deps: Pick<DeploysDeps, 'services' | 'audit'>,
  { build }: StepContext,
  { reason, rules }: { readonly reason: string; readonly rules: readonly string[] },
): Promise<void> {
  const { name, org } = await findService(deps, build);
  await deps.audit?.record({
    id: `service.convention_check_skipped/${build.buildId}`,
    type: 'service.convention_check_skipped',
    actor: build.requestedBy,
    subject: name,
    orgSlug: org,
    data: { service: name, environment: build.environment, build: build.buildId, reason, rules },
    requestId: build.requestId,
    address: null,
    time: null,
  });
}
