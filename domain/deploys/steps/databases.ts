import { listNotProvided } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const databases = futureStep({
  key: 'databases',
  title: 'Provision databases',
  stage: 'deploying',
  when: listNotProvided('databases', 'the catalog declares no databases'),
});
