import { always } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/** Whether the workload runs with the secrets that are stored, before its release serves for good. */
export const secretReadback = step({
  key: 'secret-readback',
  title: 'Secret readback',
  stage: 'deploying',
  when: always,
  needs: ['releaseId', 'workloadId'],
  activity: 'readBackSecrets',
  local: true,
  attemptSeconds: 30,
  deadlineSeconds: 60,
  remadeUntil: 'service-registration',
});
