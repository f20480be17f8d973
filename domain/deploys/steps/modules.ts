import { skip, withRegistry } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/**
 * Announces modules before the workload that has them starts. It says nothing of what serves, so nothing is undone when
 * the build fails: the registration of a release, or the next deploy, takes its place.
 */
export const modules = step({
  key: 'modules',
  title: 'Register modules',
  stage: 'deploying',
  when: (context) =>
    // Catalogs in records of earlier versions have no list.
    (context.catalog?.modules?.length ?? 0) > 0 ? withRegistry(context) : skip('the catalog declares no modules'),
  needs: ['catalog'],
  activity: 'announceModules',
  attemptSeconds: 8,
  deadlineSeconds: 10,
  failOpen: [{ system: 'registry', codes: 'any' }],
});
