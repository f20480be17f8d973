import { withSiteRegistry } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/** Before the install, so that the site registry knows what is about to serve (spec 3, "Site registry"). */
export const siteProperty = step({
  key: 'site-property',
  title: 'Upsert site property',
  stage: 'deploying',
  when: withSiteRegistry,
  needs: ['catalog'],
  activity: 'upsertSiteProperty',
  attemptSeconds: 8,
  deadlineSeconds: 10,
  failOpen: [{ system: 'site-registry', codes: 'any' }],
});
