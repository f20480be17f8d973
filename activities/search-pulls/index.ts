import type { EstateJob, PropertyJob, PullEnd } from '../../domain/search-pulls/messages.ts';
import type { PullTrigger } from '../../domain/search-pulls/pull-run.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import type { SearchPullsActivityDeps } from './deps.ts';
import { pullProperty } from './pull-property.ts';
import { beginPull, endPull, findAbandoned, listRemainder, newPull, startPull } from './pull-runs.ts';

/** What pulls of search numbers do. */
export function createSearchPullsActivities(deps: SearchPullsActivityDeps) {
  return {
    newSearchPull: async (trigger: Exclude<PullTrigger, 'resume'>) => newPull(deps, trigger),
    findAbandonedPull: () => findAbandoned(deps),
    startSearchPull: (job: EstateJob) => startPull(deps, job),
    beginSearchPull: (job: EstateJob) => beginPull(deps, job),
    listUnpulledProperties: (page: Parameters<typeof listRemainder>[1]) => listRemainder(deps, page),
    pullSearchNumbers: (job: PropertyJob) => whileHeartbeating((signal) => pullProperty(deps, job, signal)),
    endSearchPull: (end: PullEnd) => endPull(deps, end),
  };
}

export type SearchPullsActivities = ReturnType<typeof createSearchPullsActivities>;
