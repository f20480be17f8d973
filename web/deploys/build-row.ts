import { type Html, html } from '../../api/http/pages/html.ts';
import type { BuildSummary } from '../../domain/deploys/schema.ts';
import { ago, duration } from '../look/time.ts';
import { pathOf } from '../platform/platform.ts';
import { buildBadge } from './build-badge.ts';

/** One line of a list of builds: what was built, its state, what went wrong, and when. */
export function buildRow(build: BuildSummary, now: Date, options: { readonly named?: boolean } = {}): Html {
  const { service, environment, failure, createdAt, durationMs } = build;
  const { named = true } = options;
  const title = named ? service : sourceOf(build);
  return html`<li class="build-row"><span class="build-state">${buildBadge(build)}</span><div class="row-main"><a href="${pathOf('builds', build.id)}">${title}</a> <span class="quiet">${named && sourceOf(build)}</span>${failure !== null && html`<span class="sub">${failure.message}</span>`}</div>
<span class="row-side">${environmentBadge(environment)} ${ago(createdAt, now)}${durationMs !== null && html` <span class="took">· ${duration(durationMs)}</span>`}</span></li>`;
}

/** Production stands out; what is done there is seen by people. */
export function environmentBadge(environment: BuildSummary['environment']): Html {
  return html`<span class="env env-${environment}">${environment}</span>`;
}

/** What a build is of, such as `main 8bbf4c7`. */
export function sourceOf({ source, commitSha, kind }: BuildSummary): string {
  const commit = commitSha?.slice(0, 7) ?? (source.kind === 'git' ? source.commit?.slice(0, 7) : undefined);
  const from = source.kind === 'git' ? (source.branch ?? 'default branch') : 'upload';
  const what = [from, commit].filter((word) => word !== undefined).join(' @ ');
  if (kind === 'restart') return `restart of ${commit ?? 'the release'}`;
  return kind === 'rollback' ? `rollback to ${commit ?? 'an earlier release'}` : what;
}

/** Of the newest builds, the last one of each service in each environment. */
export function latestBuilds(builds: readonly BuildSummary[]): readonly BuildSummary[] {
  const latest = new Map<string, BuildSummary>();
  for (const build of builds) {
    const key = `${build.serviceId} ${build.environment}`;
    if (!latest.has(key)) latest.set(key, build);
  }
  return [...latest.values()];
}
