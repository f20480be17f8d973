import { withRegistry } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/** One attempt: a deploy waits for nothing that only describes it. */
export const snapshot = step({
  key: 'snapshot',
  title: 'Deploy snapshot',
  stage: 'deploying',
  when: withRegistry,
  needs: ['releaseId'],
  activity: 'storeSnapshot',
  attemptSeconds: 4,
  deadlineSeconds: 4,
  failOpen: [{ system: 'registry', codes: 'any' }],
});
