import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { ConfigView } from '../../domain/config/config-schema.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import { HIDDEN_SECRET } from '../../domain/config/sealed-secret.ts';
import {
  type EffectiveVariables,
  openOrNull,
  type Secrets,
  type SecretsOwner,
  variableSets,
  variablesIn,
} from '../../domain/config/service-variables.ts';
import { isReinstall } from '../../domain/deploys/build-kind.ts';
import type { BuildStore } from '../../domain/deploys/build-store.ts';
import type { Release } from '../../domain/deploys/release.ts';
import { releaseChanges } from '../../domain/deploys/release-changes.ts';
import type { ReleaseStore } from '../../domain/deploys/release-store.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { isSensitiveName } from '../../domain/logs/sensitive-names.ts';

/** Every variable of a service, secrets by name only. */
export function variableViews(service: ServiceRecord): ConfigView['variables'] {
  const views = variableSets(service).flatMap(({ environment, set }) => {
    const view = (name: string, secret: boolean, value: string) => {
      // A variable may be called like what every object has, such as `constructor`.
      const mark = Object.hasOwn(set.marks, name) ? set.marks[name] : undefined;
      const changedAt = mark?.changedAt.toISOString() ?? null;
      const origin = mark?.origin ?? null;
      return { name, secret, value, environment, changedAt, changedBy: mark?.changedBy ?? null, origin };
    };
    return [
      ...Object.entries(set.config).map(([name, value]) =>
        view(name, false, isSensitiveName(name) ? HIDDEN_SECRET : value),
      ),
      ...Object.keys(set.secrets).map((name) => view(name, true, HIDDEN_SECRET)),
    ];
  });
  // The sort is stable, and the set of every environment comes first.
  return views.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** What the catalog of a service declares, as its last build found it; as the release that serves, where that one read none. */
export async function declaredVariables(
  { builds, releases }: Pick<PendingDeps, 'builds' | 'releases'>,
  service: ServiceRecord,
): Promise<ConfigView['declared']> {
  const catalogOf = async (buildId: string | null | undefined) =>
    buildId == null ? null : ((await builds.find(buildId))?.facts.catalog ?? null);
  const madeBy = async (buildId: string | null) => {
    const build = buildId === null ? null : await builds.find(buildId);
    if (build === null || build.releaseId === null || !isReinstall(build.kind)) return buildId;
    return (await releases.find(build.releaseId))?.buildId ?? buildId;
  };
  const catalog =
    (await catalogOf(await madeBy(service.lastBuildId))) ??
    (await catalogOf((await releases.active(service.name, 'prod'))?.buildId));
  return (catalog?.config ?? []).map(({ key, secret, required, default: value }) => {
    return { name: key, secret, required, hasDefault: value !== null };
  });
}

export interface PendingDeps {
  readonly releases: ReleaseStore;
  readonly builds: BuildStore;
  readonly cipher: SecretCipher | null;
}

/** By environment that serves, the names whose stored values differ from those it serves with. */
export async function pendingChanges(deps: PendingDeps, service: ServiceRecord): Promise<ConfigView['pending']> {
  const releases = await Promise.all(
    ENVIRONMENTS.map((environment) => deps.releases.active(service.name, environment)),
  );
  const pending = await Promise.all(
    releases.filter((release) => release !== null).map((release) => pendingOf(deps, service, release)),
  );
  return pending.filter(({ added, changed, removed }) => added.length + changed.length + removed.length > 0);
}

async function pendingOf(deps: PendingDeps, service: ServiceRecord, release: Release) {
  const { environment } = release;
  const build = await deps.builds.find(release.buildId);
  const declared = build?.facts.catalog?.config ?? [];
  const defaults = Object.fromEntries(
    declared.flatMap((entry) => (entry.default === null ? [] : [[entry.key, entry.default]])),
  );
  const served = readable(deps.cipher, { service: service.name, environment }, release.secrets);
  const changes = releaseChanges(
    { ...release.config, ...served },
    storedValues(deps.cipher, service.name, { environment, variables: variablesIn(service, environment) }),
    defaults,
  );
  const { added, changed, removed } = changes;
  return { environment, releaseId: release.id, added: [...added], changed: [...changed], removed: [...removed] };
}

function storedValues(
  cipher: SecretCipher | null,
  service: string,
  { environment, variables }: { environment: Release['environment']; variables: EffectiveVariables },
): Record<string, string | null> {
  const shared = readable(cipher, { service }, variables.secrets);
  return { ...variables.config, ...shared, ...readable(cipher, { service, environment }, variables.ownSecrets) };
}

/** Values of secrets; null for one whose key this installation has no more: it is shown, so that it can be set anew. */
function readable(cipher: SecretCipher | null, owner: SecretsOwner, secrets: Secrets): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(secrets).map(([key, secret]) => [key, openOrNull(cipher, { ...owner, key }, secret)]),
  );
}
