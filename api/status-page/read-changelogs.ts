import { cutChangelog } from '../../domain/status-page/changelog-text.ts';
import type { PageChangelog } from './page-content.ts';
import type { FindChangelog } from './shared-changelogs.ts';

/** A page waits no longer for what is beside the point of it. */
const BUDGET_MS = 1_000;

/**
 * What is new in some services, newest first. Null, and so no section at all, where the registry does not answer for each of
 * them within the budget (spec 3, "Events", "Uptime monitor").
 */
export async function readChangelogs(
  find: FindChangelog,
  services: readonly string[],
  budgetMs = BUDGET_MS,
): Promise<readonly PageChangelog[] | null> {
  const over = Promise.withResolvers<null>();
  const timer = setTimeout(() => over.resolve(null), budgetMs);
  try {
    const found = await Promise.race([
      Promise.all([...new Set(services)].map((service) => find(service))),
      over.promise,
    ]);
    if (found === null) return null;
    return found
      .flatMap((changelog) => changelog ?? [])
      .sort((one, other) => other.deployedAt.getTime() - one.deployedAt.getTime())
      .map(({ blocks, ...changelog }) => ({ ...changelog, shown: cutChangelog(blocks) }));
  } catch {
    // Away: the page is about whether services are up.
    return null;
  } finally {
    clearTimeout(timer);
  }
}
