import type { ConfigDeclaration } from '../../../domain/catalog/catalog.ts';
import { variablesIn } from '../../../domain/config/service-variables.ts';
import { usualVariables } from '../../../domain/databases/engines.ts';
import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { isSensitiveName } from '../../../domain/logs/sensitive-names.ts';
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
  const { config, secrets, ownSecrets } = variablesIn(service, context.build.environment);
  const provided = deps.databases?.configured(catalog.databases).flatMap(usualVariables) ?? [];
  const missing = catalog.config
    .filter(
      ({ key, required }) => required && ![config, secrets, ownSecrets].some((values) => Object.hasOwn(values, key)),
    )
    .filter((entry) => entry.default === null && !provided.includes(entry.key));
  if (missing.length > 0) {
    const names = missing.map(({ key }) => key);
    const message = `Config preflight failed: set ${names.join(', ')} for ${service.name}, then deploy again.`;
    const remedy = `To set ${names.length === 1 ? 'it' : 'them'}: \`${settingThem(missing, service.name)}\``;
    throw new FairleadError('CONFIG_PREFLIGHT_FAILED', `${message}\n${remedy}`, { details: { missing: names } });
  }
  return {};
}

/** The command that sets them: secrets by name, whose values it asks for. */
function settingThem(missing: readonly ConfigDeclaration[], service: string): string {
  const given = missing.map(({ key, secret }) => (secret || isSensitiveName(key) ? `--secret ${key}` : `${key}=VALUE`));
  return `fairlead config set ${given.join(' ')} --service ${service}`;
}
