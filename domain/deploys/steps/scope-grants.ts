import { listNotProvided } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const scopeGrants = futureStep({
  key: 'scope-grants',
  title: 'Create scope grants',
  stage: 'deploying',
  when: listNotProvided('dependencies', 'the catalog declares no dependencies'),
  failOpen: [{ system: 'identity-provider', codes: ['UNAVAILABLE', 'STEP_DEADLINE_EXCEEDED'] }],
});
