import { withRegistry } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/** Once the release serves for good: the manifest of the deploy for the next one, and what is new for people. */
export const changelog = step({
  key: 'changelog',
  title: 'Publish changelog',
  stage: 'testing',
  when: withRegistry,
  needs: ['releaseId'],
  activity: 'publishChangelog',
  attemptSeconds: 8,
  deadlineSeconds: 10,
  cancellable: false,
  failOpen: [{ system: 'registry', codes: 'any' }],
});
