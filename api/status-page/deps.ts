import type { Logger } from 'pino';
import type { Clock } from '../../domain/clock.ts';
import type { ChangelogSource, PageSnapshots } from '../../domain/status-page/ports.ts';
import type { StatusSources } from '../../domain/status-page/read-status.ts';

export interface StatusPageDeps extends StatusSources {
  /** Null where no service registry is known: pages have no changelogs then. */
  readonly changelogs: ChangelogSource | null;
  readonly snapshots: PageSnapshots;
  /** Slug of the org that runs the installation: the page at `/` is its own. */
  readonly platformOrg: string;
  /** As people know the installation. */
  readonly platformName: string;
  /** Public address of the status page. */
  readonly statusUrl: string;
  /** Whether this installation has a mail server: pages have a form for updates by mail then. */
  readonly sendsMail: boolean;
  readonly now: Clock;
  /** Milliseconds that only go forward, by which shared answers grow old; `performance.now` where it is left out. */
  readonly monotonicMs?: () => number;
  readonly log: Pick<Logger, 'warn'>;
}
