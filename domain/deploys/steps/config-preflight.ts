import { always } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/** Variables may be taken away while a build waits, or before it is retried: until its install it looks at them anew. */
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
  remadeUntil: 'install',
});
