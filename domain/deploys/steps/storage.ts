import { listNotProvided } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const storage = futureStep({
  key: 'storage',
  title: 'Provision object storage',
  stage: 'deploying',
  when: listNotProvided('storage', 'the catalog declares no storage'),
});
