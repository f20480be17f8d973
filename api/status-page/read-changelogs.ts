import { cutChangelog, readChangelog } from '../../domain/status-page/changelog-text.ts';
import type { ChangelogSource } from '../../domain/status-page/ports.ts';
import type { PageChangelog } from './page-content.ts';

/** A page waits no longer for what is beside the point of it. */
const BUDGET_MS = 1_000;

/**
 * What is new in some services, newest first, read live. Null, and so no section at all, where the registry does not answer
 * for each of them within the budget (spec 3, "Events", "Uptime monitor").
 */
export async function readChangelogs(
  source: ChangelogSource | null,
  services: readonly string[],
  budgetMs = BUDGET_MS,
): Promise<readonly PageChangelog[] | null> {
  if (source === null) return null;
  const limit = AbortSignal.timeout(budgetMs);
  try {
    const found = await Promise.all([...new Set(services)].map((service) => source.find(service, limit)));
    return found
      .flatMap((changelog) => changelog ?? [])
      .sort((one, other) => other.deployedAt.getTime() - one.deployedAt.getTime())
      .map(({ notes, ...changelog }) => ({ ...changelog, shown: cutChangelog(readChangelog(notes)) }));
  } catch {
    // Away, or too slow: the page is about whether services are up.
    return null;
  }
}
