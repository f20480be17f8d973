import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { BuildRecord } from '../../domain/deploys/build.ts';
import type { BuildLog, BuildStore } from '../../domain/deploys/build-store.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import type { LogLine } from '../../domain/logs/log-line.ts';
import { createLiveFeeds, type FeedBounds, type FeedSource, type LiveWatch } from '../http/live-feed.ts';
import { shareRead } from '../http/shared-read.ts';
import type { BuildAccessDeps } from './build-access.ts';

/** Reading a log as it grows. */
export type FollowableLog = Pick<BuildLog, 'read' | 'hasMore'>;

/** What the followers of a log are told of its build; null once there is no such build. */
export interface FollowedBuild {
  readonly status: Pick<BuildRecord, 'status' | 'reason' | 'failure' | 'url'>;
  /** The same object until something of it changes. */
  readonly progress: Pick<BuildRecord, 'steps' | 'waiting' | 'blockedGrants'>;
  readonly isTerminal: boolean;
  /** It has ended, and nothing stands behind the place that was read from. */
  readonly isComplete: boolean;
}

export interface BuildFeedsDeps {
  readonly log: FollowableLog;
  readonly builds: Pick<BuildStore, 'find'>;
  readonly services: Pick<ServiceStore, 'find'>;
  /** Shortened in tests. */
  readonly pollMs?: number;
  readonly keep?: FeedBounds;
}

/** One watcher's part in the feed of a build; `shared` has the records by which watchers are let in. */
export type BuildWatch = LiveWatch<number, LogLine, FollowedBuild | null, BuildAccessDeps>;

/** Begins to watch a build. */
export type WatchBuild = (build: Pick<BuildRecord, 'id' | 'serviceId'>) => BuildWatch;

const PAGE = 500;
const POLL_MS = 250;
/** What a line takes beside its text, which takes two bytes a character at most. */
const LINE_BYTES = 200;

/** The logs of builds that are followed now: one reader a build feeds all its watchers. */
export function createBuildFeeds(deps: BuildFeedsDeps): WatchBuild {
  const { builds, services, pollMs = POLL_MS, keep } = deps;
  return createLiveFeeds({
    nameOf: ({ id }) => id,
    source: ({ id }) => buildSource(deps, id),
    // Each watcher asks for its own permission, by records that are read once a second for all of them.
    share: ({ id, serviceId }) => ({
      builds: { find: shareRead(() => builds.find(id)) },
      services: { find: shareRead(() => services.find(serviceId)) },
    }),
    pollMs,
    ...(keep === undefined ? {} : { keep }),
  });
}

/** A place is the sequence number of the last line before it. */
function buildSource(
  { builds, log }: BuildFeedsDeps,
  buildId: string,
): FeedSource<number, LogLine, FollowedBuild | null> {
  // Pages that are kept hold no copy of what has not changed.
  let last: { readonly progress: FollowedBuild['progress']; readonly text: string } | null = null;
  const latest = ({ steps, waiting, blockedGrants }: BuildRecord): FollowedBuild['progress'] => {
    const progress = { steps, waiting, blockedGrants };
    const text = JSON.stringify(progress);
    if (text !== last?.text) last = { progress, text };
    return last.progress;
  };
  return {
    async read(place) {
      // The record first: lines written before it turned terminal are then in the read that follows.
      const build = await builds.find(buildId);
      if (build === null) return { lines: [], next: place, state: null };
      const lines = await log.read(buildId, place, PAGE);
      const ended = isTerminal(build.status);
      const isComplete = ended && lines.length === 0 && !(await log.hasMore(buildId, place));
      const { status, reason, failure, url } = build;
      const now = { status, reason, failure, url };
      const state = { status: now, progress: latest(build), isTerminal: ended, isComplete };
      return { lines, next: lines.at(-1)?.seq ?? place, state };
    },
    compare: (a, b) => a - b,
    behind: ({ seq }) => seq,
    bytes: ({ text }) => text.length * 2 + LINE_BYTES,
    stateOfRest: (state) => state,
  };
}
