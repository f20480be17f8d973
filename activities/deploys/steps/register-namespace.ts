import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { auditNamespace } from '../audit-namespace.ts';
import type { DeploysDeps } from '../deps.ts';
import { declarationOf, requireServiceRegistry } from '../registered-service.ts';
import { findService } from '../service-lookup.ts';
import type { StepContext } from '../step.ts';

/**
 * Registers the service and its namespace `{service}-{environment}`, and tells the audit ledger of a new one (spec 2,
 * "Events"). Where the registry is away, the first workload in the environment has it told. Idempotent: both keep what
 * came first.
 * @throws UNAVAILABLE of the system `registry`
 */
export async function registerNamespace(
  deps: Pick<DeploysDeps, 'serviceRegistry' | 'services' | 'audit'>,
  context: StepContext,
): Promise<BuildFacts> {
  const { build, signal, onLine } = context;
  const registry = requireServiceRegistry(deps);
  const service = await findService(deps, build);
  await registry.declare(declarationOf(service), signal);
  const name = await registry.createNamespace(service.id, build.environment, signal);
  await auditNamespace(deps, build);
  onLine(`The namespace is ${name}`);
  return {};
}
