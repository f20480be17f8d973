import { skip } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const modelAccess = futureStep({
  key: 'model-access',
  title: 'Model-access identity',
  stage: 'deploying',
  when: () => skip('no model vendor is configured'),
  failOpen: [{ system: 'model-vendor', codes: 'any' }],
});
