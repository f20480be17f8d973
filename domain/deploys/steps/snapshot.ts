import { skip } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const snapshot = futureStep({
  key: 'snapshot',
  title: 'Deploy snapshot',
  stage: 'deploying',
  when: () => skip('no registry service (REGISTRY_URL) keeps deploy snapshots'),
  failOpen: [{ system: 'registry', codes: 'any' }],
});
