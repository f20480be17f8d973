import { skip } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const sdkUpgradeGate = futureStep({
  key: 'sdk-upgrade-gate',
  title: 'SDK upgrade gate',
  stage: 'building',
  when: () => skip('no registry service (REGISTRY_URL) holds changelogs'),
  failOpen: [{ system: 'registry', codes: ['UNAVAILABLE', 'STEP_DEADLINE_EXCEEDED'] }],
});
