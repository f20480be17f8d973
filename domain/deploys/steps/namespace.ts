import { withRegistry } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/** The record of a namespace; the Docker runtime has nothing to create for it. It stays when the build fails. */
export const namespace = step({
  key: 'namespace',
  title: 'Namespace',
  stage: 'deploying',
  when: withRegistry,
  activity: 'registerNamespace',
  attemptSeconds: 8,
  deadlineSeconds: 10,
  failOpen: [{ system: 'registry', codes: 'any' }],
});
