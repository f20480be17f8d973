import { withSiteRegistry } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/** Once the release serves for good: a deploy never waits long for the site registry, nor fails for it. */
export const siteRegistry = step({
  key: 'site-registry',
  title: 'Tell site registry',
  stage: 'testing',
  when: withSiteRegistry,
  needs: ['releaseId'],
  activity: 'tellSiteRegistry',
  attemptSeconds: 8,
  deadlineSeconds: 10,
  cancellable: false,
  failOpen: [{ system: 'site-registry', codes: 'any' }],
});
