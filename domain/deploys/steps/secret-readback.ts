import { skip } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const secretReadback = futureStep({
  key: 'secret-readback',
  title: 'Secret readback',
  stage: 'deploying',
  when: () => skip('the secrets manager is off (SECRETS_ENABLED)'),
});
