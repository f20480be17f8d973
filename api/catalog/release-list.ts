import type { Catalog } from '../../domain/catalog/catalog.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import { openOrNull } from '../../domain/config/service-variables.ts';
import type { Release } from '../../domain/deploys/release.ts';
import {
  type ComparedRelease,
  type ReleaseDifferences,
  releaseDifferences,
} from '../../domain/deploys/release-differences.ts';
import type { ListedRelease } from '../../domain/deploys/schema.ts';
import { dependencyScopes } from '../../domain/oauth-clients/derive-client.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import type { PendingDeps } from './config-view.ts';
import { releaseView } from './service-view.ts';

interface ReleaseRequest {
  readonly environment: Release['environment'];
  readonly request: PageRequest;
}

/** Releases that served, the one activated last first. */
export async function releasePage(
  { releases }: Pick<PendingDeps, 'releases'>,
  { name }: ServiceRecord,
  { environment, request }: ReleaseRequest,
): Promise<Page<ListedRelease>> {
  const page = releases.list(name, environment, request);
  const active = await releases.active(name, environment);
  const { items, nextCursor } = await page;
  return { items: items.map((release) => releaseView(release, active?.id ?? null)), nextCursor };
}

/** The same with what each has that the one before it did not. */
export async function releasesWithChanges(
  deps: PendingDeps,
  { name }: ServiceRecord,
  { environment, request }: ReleaseRequest,
): Promise<Page<ListedRelease>> {
  const { items, nextCursor } = await deps.releases.list(name, environment, request);
  const active = await deps.releases.active(name, environment);
  const beyond =
    nextCursor === null ? null : await deps.releases.list(name, environment, { cursor: nextCursor, limit: 1 });
  const compared: ComparedRelease[] = [];
  for (const release of [...items, ...(beyond?.items ?? [])]) compared.push(await comparedRelease(deps, release));
  return { items: items.map((release, at) => withChanges(release, active, compared.slice(at))), nextCursor };
}

function withChanges(
  release: Release,
  active: Release | null,
  [own, before]: readonly ComparedRelease[],
): ListedRelease {
  const changes = own === undefined || before === undefined ? null : releaseDifferences(own, before);
  return { ...releaseView(release, active?.id ?? null), changes: changes === null ? null : changesView(changes) };
}

function changesView({ variables: { added, changed, removed }, scopes, ...rest }: ReleaseDifferences) {
  return {
    ...rest,
    variables: { added: [...added], changed: [...changed], removed: [...removed] },
    scopes: scopes === null ? null : { added: [...scopes.added], removed: [...scopes.removed] },
  };
}

async function comparedRelease({ builds, cipher }: PendingDeps, release: Release): Promise<ComparedRelease> {
  const { id, commitSha, service, environment } = release;
  const facts = (await builds.find(release.buildId))?.facts;
  const opened = Object.entries(release.secrets).map(([key, secret]) => {
    return [key, openOrNull(cipher, { service, environment, key }, secret)] as const;
  });
  return {
    id,
    commitSha,
    values: { ...release.config, ...Object.fromEntries(opened) },
    scopes: facts?.catalog == null ? null : scopesOf(facts.catalog),
    notes: facts?.releaseNotes?.notes ?? null,
  };
}

function scopesOf({ dependencies }: Pick<Catalog, 'dependencies'>): readonly string[] {
  return [...new Set(dependencies.flatMap((dependency) => dependencyScopes(dependency).scopes))].sort();
}
