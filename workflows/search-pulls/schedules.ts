import type { ScheduleDefinition } from '../../domain/schedule.ts';
import { SEARCH_PULLS_WORKFLOWS } from '../../domain/search-pulls/messages.ts';

const { dailySearchPull, resumeSearchPull } = SEARCH_PULLS_WORKFLOWS;

/** Pulls, UTC. Numbers of a day of the search engine, which ends at 07:00 or 08:00, are there some hours later. */
export const searchPullsSchedules: readonly ScheduleDefinition[] = [
  {
    id: 'daily-search-pull',
    cron: '20 11 * * *',
    workflowType: dailySearchPull,
    overlap: 'SKIP',
    catchupWindow: '1d',
    runTimeout: '20h',
    atStart: false,
  },
  {
    id: 'resume-search-pull',
    cron: '*/5 * * * *',
    workflowType: resumeSearchPull,
    overlap: 'SKIP',
    catchupWindow: '1m',
    runTimeout: '30m',
    atStart: true,
  },
];
