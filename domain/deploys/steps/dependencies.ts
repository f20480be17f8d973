import { listNotProvided } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const dependencies = futureStep({
  key: 'dependencies',
  title: 'Resolve dependencies',
  stage: 'deploying',
  when: listNotProvided('dependencies', 'the catalog declares no dependencies'),
  failOpen: [{ system: 'registry', codes: ['UNAVAILABLE', 'STEP_DEADLINE_EXCEEDED'] }],
});
