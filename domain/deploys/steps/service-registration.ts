import { always } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/** What has been observed to answer is registered even when someone cancels at that moment. */
export const serviceRegistration = step({
  key: 'service-registration',
  title: 'Register service',
  stage: 'testing',
  when: always,
  needs: ['releaseId'],
  activity: 'registerRelease',
  local: true,
  attemptSeconds: 30,
  deadlineSeconds: 120,
  cancellable: false,
});
