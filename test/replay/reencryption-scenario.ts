import type { PageDone, PageRequested } from '../../activities/config/index.ts';
import { CONFIG_WORKFLOWS, NO_PROGRESS } from '../../domain/config/messages.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

/** As version 0.2 named it. */
const WORKFLOW_ID = 'secret-reencryption';

/** A first sweep over two pages of services and one of releases that seals something, and a second that finds nothing. */
export async function reencryption(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  let pages = 0;
  const reencryptPage = async ({ kind, cursor }: PageRequested): Promise<PageDone> => {
    pages += 1;
    const hasMore = kind === 'services' && cursor === null;
    return {
      nextCursor: hasMore ? 'second' : null,
      done: { ...NO_PROGRESS, checked: 2, resealed: pages <= 3 ? 1 : 0 },
    };
  };
  const options = { taskQueue: 'config', module: 'config', activities: { reencryptPage } };
  await withOwnWorker(temporal, options, (execute) => execute(CONFIG_WORKFLOWS.reencryptSecrets, WORKFLOW_ID));
  return { 'secret-reencryption': WORKFLOW_ID };
}
