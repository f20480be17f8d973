import { skip } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const deployGate = futureStep({
  key: 'deploy-gate',
  title: 'Deploy gate',
  stage: 'building',
  when: () => skip('the deploy gate applies to Kubernetes deploys with a wallet (WALLET_URL)'),
  failOpen: [{ system: 'wallet', codes: ['UNAVAILABLE', 'STEP_DEADLINE_EXCEEDED'] }],
});
