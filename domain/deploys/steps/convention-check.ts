import { skip } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const conventionCheck = futureStep({
  key: 'convention-check',
  title: 'Convention check',
  stage: 'building',
  when: () => skip('no convention rules are installed'),
});
