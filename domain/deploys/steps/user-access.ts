import { sectionNotProvided } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const userAccess = futureStep({
  key: 'user-access',
  title: 'Provision user access',
  stage: 'deploying',
  when: sectionNotProvided('userAccess', 'the catalog declares no user access'),
});
