import { notProvided } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const namespace = futureStep({
  key: 'namespace',
  title: 'Namespace',
  stage: 'deploying',
  when: ({ installation }) =>
    notProvided(installation.runtime === 'kubernetes', 'the Docker runtime has no namespaces'),
});
