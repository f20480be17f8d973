import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { LogPlace, ServiceLogReader, ServiceLogTarget, StoredLine } from '../../domain/logs/service-log.ts';
import { createLiveFeeds, type LiveWatch } from '../http/live-feed.ts';
import { shareRead } from '../http/shared-read.ts';

export interface ServiceLogFeedsDeps {
  readonly serviceLogs: Pick<ServiceLogReader, 'after'>;
  readonly services: Pick<ServiceStore, 'find'>;
}

/** Whether lines behind the place that was read from are not kept any more. */
export interface FollowedLog {
  readonly lost: boolean;
}

/** One watcher's part in the log of a service; `shared` has the record by which watchers are let in. */
export type ServiceLogWatch = LiveWatch<LogPlace, StoredLine, FollowedLog, Pick<ServiceStore, 'find'>>;

const POLL_MS = 300;
/** What a line takes beside its text, which takes two bytes a character at most. */
const LINE_BYTES = 300;

/** The logs of services that are followed now: one reader a log feeds all its watchers, whatever each looks for. */
export function createServiceLogFeeds({
  serviceLogs,
  services,
}: ServiceLogFeedsDeps): (target: ServiceLogTarget) => ServiceLogWatch {
  return createLiveFeeds({
    nameOf: ({ serviceId, environment }) => `${serviceId}/${environment}`,
    source: (target) => ({
      async read(place) {
        const { lines, next, lost } = await serviceLogs.after(target, place);
        return { lines, next, state: { lost } };
      },
      compare: (a, b) => a.file - b.file || a.offset - b.offset,
      behind: ({ next }) => next,
      bytes: ({ line }) => line.text.length * 2 + LINE_BYTES,
      stateOfRest: () => ({ lost: false }),
    }),
    share: ({ serviceId }) => ({ find: shareRead(() => services.find(serviceId)) }),
    pollMs: POLL_MS,
  });
}
