import { propertyPullSchema, startedPullSchema } from '../../domain/search-pulls/search-schema.ts';
import { whole } from '../look/chart.ts';
import { type Action, defineAction } from '../page.ts';
import { CALLERS, jobPath, PATH, propertyPath } from '../properties/words.ts';
import { searchParams } from './search-page.ts';

/** A little longer than the site registry waits for a pull of one Property. */
const WAIT_MS = 55_000;

const pullAll = defineAction({
  module: 'search-pulls',
  path: `${PATH}/pull`,
  summary: 'Pulls the search numbers of all verified domains',
  callers: CALLERS,
  back: () => PATH,
  run: async ({ platform }) => {
    const { jobId } = await platform.send('site-registry', 'POST', '/api/search/pull', startedPullSchema);
    return { to: jobPath(jobId), notice: 'The pull has begun.' };
  },
});

const pullOne = defineAction({
  module: 'search-pulls',
  path: `${PATH}/:domain/pull`,
  summary: 'Pulls the search numbers of one domain',
  callers: CALLERS,
  params: searchParams,
  back: ({ domain }) => propertyPath(domain, 'search'),
  run: async ({ platform, params: { domain } }) => {
    const to = propertyPath(domain, 'search');
    const request = { body: { domain }, waitMs: WAIT_MS };
    const { days, rows } = await platform.send(
      'site-registry',
      'POST',
      '/api/search/pull',
      propertyPullSchema,
      request,
    );
    return {
      to,
      notice: days === 0 ? 'There was nothing new.' : `${whole(rows)} rows of ${whole(days)} days are stored.`,
    };
  },
});

export const searchActions: readonly Action[] = [pullAll, pullOne];
