import type { LogPlace } from '../../domain/logs/service-log.ts';
import { createLiveFeeds, type LiveWatch } from '../http/live-feed.ts';
import type { FollowedLog } from './follow-log.ts';

const POLL_MS = 300;
/** What a line takes beside its text, which takes two bytes a character at most. */
const LINE_BYTES = 300;

/** What a follower of a log of files needs of it. */
export interface FollowedLogSource<K, L, X> {
  readonly nameOf: (key: K) => string;
  readonly after: (
    key: K,
    place: LogPlace,
  ) => Promise<{ readonly lines: readonly L[]; readonly next: LogPlace; readonly lost: boolean }>;
  readonly textOf: (line: L) => string;
  readonly share: (key: K) => X;
}

/** The logs that are followed now: one reader a log feeds all its watchers, whatever each looks for. */
export function createLogFeeds<K, L extends { readonly next: LogPlace }, X>({
  nameOf,
  after,
  textOf,
  share,
}: FollowedLogSource<K, L, X>): (key: K) => LiveWatch<LogPlace, L, FollowedLog, X> {
  return createLiveFeeds<K, LogPlace, L, FollowedLog, X>({
    nameOf,
    source: (key) => ({
      async read(place) {
        const { lines, next, lost } = await after(key, place);
        return { lines, next, state: { lost } };
      },
      compare: (a, b) => a.file - b.file || a.offset - b.offset,
      behind: ({ next }) => next,
      bytes: (line) => textOf(line).length * 2 + LINE_BYTES,
      stateOfRest: () => ({ lost: false }),
    }),
    share,
    pollMs: POLL_MS,
  });
}
