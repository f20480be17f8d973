import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import { isExactVersion, sdkUpgrades } from '../../../domain/deploys/sdk-packages.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { DeploysDeps } from '../deps.ts';
import { requireServiceRegistry } from '../registered-service.ts';
import { requireFacts, type StepContext } from '../step.ts';

/**
 * Compares the packages of the SDK with those of the previous deploy to this environment: for each upgrade the registry
 * must have a changelog `{package}@{version}` (spec 2, step 8). Reads only.
 * @throws UNDOCUMENTED_UPGRADE naming the upgrades without one; UNAVAILABLE of the system `registry`
 */
export async function checkSdkUpgrades(
  deps: Pick<DeploysDeps, 'serviceRegistry'>,
  context: StepContext,
): Promise<BuildFacts> {
  const { build, facts, signal, warn, onLine } = context;
  const { sdkVersions } = requireFacts(facts, ['sdkVersions']);
  if (Object.keys(sdkVersions).length === 0) return {};
  if (build.skipConventionCheck !== undefined) {
    onLine('Upgrades of the SDK are not checked: the convention check is skipped');
    return {};
  }
  const registry = requireServiceRegistry(deps);
  const { serviceId, environment } = build;
  const previous = await registry.lastManifest({ serviceId, environment }, signal);
  const upgrades = sdkUpgrades(previous?.manifest?.sdkVersions ?? {}, sdkVersions);
  const undocumented: string[] = [];
  for (const { package: name, from, to } of upgrades) {
    if (!isExactVersion(to)) {
      warn(`${name} was ${from} and is ${to} now, which names no version: nobody can tell what it changes.`);
    } else if ((await registry.findPackageChangelog(name, to, signal)) === null) {
      undocumented.push(`${name}@${to}`);
    } else {
      onLine(`${name} was ${from} and is ${to} now; its changelog is in the registry`);
    }
  }
  if (undocumented.length === 0) return {};
  const message = `Undocumented upgrade: the registry has no changelog of ${undocumented.join(', ')}. A platform admin publishes one (docs/registry.md), or stay at the version before.`;
  throw new FairleadError('UNDOCUMENTED_UPGRADE', message, { details: { packages: undocumented } });
}
