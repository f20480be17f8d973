import { variablesIn } from '../../../domain/config/service-variables.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeploysDeps } from '../deps.ts';
import { findService } from '../service-lookup.ts';
import { requireFacts, type StepContext } from '../step.ts';

/** Every declared required variable has a value, or the build ends naming those without (spec 2, step 7). Reads only. */
export async function preflightConfig(deps: Pick<DeploysDeps, 'services'>, context: StepContext): Promise<BuildFacts> {
  const { catalog } = requireFacts(context.facts, ['catalog']);
  const service = await findService(deps, context.build);
  const { config, secrets, ownSecrets } = variablesIn(service, context.build.environment);
  const missing = catalog.config
    .filter(
      ({ key, required }) => required && ![config, secrets, ownSecrets].some((values) => Object.hasOwn(values, key)),
    )
    .filter((entry) => entry.default === null)
    .map(({ key }) => key);
  if (missing.length > 0) {
    const message = `Config preflight failed: set ${missing.join(', ')} for ${service.name}, then deploy again.`;
    throw new FairleadError('CONFIG_PREFLIGHT_FAILED', message, { details: { missing } });
  }
  return {};
}
