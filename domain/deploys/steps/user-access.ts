import { isReinstall } from '../build-kind.ts';
import { skip } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/**
 * Keeps out, before the new workload starts, whom its catalog keeps out. A provider that is away ends the build: the
 * workload would be open to people that it was written not to meet. Whoever is let in additionally is let in once the
 * release serves for good, by the step `role-metadata`. A build that fails gives back what its step took. A rollback does
 * the same by the catalog of its release, which the step itself looks up.
 */
export const userAccess = step({
  key: 'user-access',
  title: 'Provision user access',
  stage: 'deploying',
  when: ({ kind, catalog }) => {
    if (isReinstall(kind)) return 'run';
    // Catalogs in records of earlier versions have no such section.
    if ((catalog?.userAccess ?? null) === null) return skip('the catalog declares no user access');
    return catalog?.auth?.mode === 'sso' ? 'run' : skip('nobody signs in to the service: spec.auth.mode is not sso');
  },
  needs: ['catalog'],
  ofRollback: true,
  activity: 'provisionUserAccess',
  attemptSeconds: 30,
  deadlineSeconds: 120,
  // What a failed build gave back is taken again, wherever a retry begins.
  remadeUntil: 'service-registration',
  undo: { activity: 'restoreUserAccess', until: 'service-registration' },
});
