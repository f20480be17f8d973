import { skip } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const consumedDatabases = futureStep({
  key: 'consumed-databases',
  title: 'Provision consumed databases',
  stage: 'deploying',
  when: () => skip('the service consumes no other service’s database'),
});
