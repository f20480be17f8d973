import { always } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

export const conventionCheck = step({
  key: 'convention-check',
  title: 'Convention check',
  stage: 'building',
  when: always,
  needs: ['catalog'],
  activity: 'checkConventions',
  local: true,
  attemptSeconds: 30,
  deadlineSeconds: 60,
});
