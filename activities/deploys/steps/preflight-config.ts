import { variablesIn } from '../../../domain/config/service-variables.ts';
import { usualVariables } from '../../../domain/databases/engines.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { missingConfig, settingMissing } from '../../../domain/deploys/missing-config.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeploysDeps } from '../deps.ts';
import { findService } from '../service-lookup.ts';
import { requireFacts, type StepContext } from '../step.ts';

/**
 * Every declared required variable has a value, or the build ends naming those without (spec 2, step 7). The address of a
 * database that the service is about to get is one. Reads only.
 */
export async function preflightConfig(
  deps: Pick<DeploysDeps, 'services' | 'databases'>,
  context: StepContext,
): Promise<BuildFacts> {
  const { catalog } = requireFacts(context.facts, ['catalog']);
  const service = await findService(deps, context.build);
  const provided = deps.databases?.configured(catalog.databases).flatMap(usualVariables) ?? [];
  const missing = missingConfig(catalog, variablesIn(service, context.build.environment), provided);
  if (missing.length > 0) {
    const names = missing.map(({ key }) => key);
    const message = `Config preflight failed: set ${names.join(', ')} for ${service.name}, then deploy again.`;
    const details = { missing: names };
    throw new FairleadError('CONFIG_PREFLIGHT_FAILED', `${message}\n${settingMissing(missing, service.name)}`, {
      details,
    });
  }
  return {};
}
