import { always } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

export const configPreflight = step({
  key: 'config-preflight',
  title: 'Config preflight',
  stage: 'building',
  when: always,
  needs: ['catalog'],
  activity: 'preflightConfig',
  local: true,
  attemptSeconds: 30,
  deadlineSeconds: 60,
});
