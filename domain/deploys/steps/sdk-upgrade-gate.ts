import { withRegistry } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

export const sdkUpgradeGate = step({
  key: 'sdk-upgrade-gate',
  title: 'SDK upgrade gate',
  stage: 'building',
  when: withRegistry,
  needs: ['sdkVersions'],
  activity: 'checkSdkUpgrades',
  attemptSeconds: 8,
  deadlineSeconds: 10,
  failOpen: [{ system: 'registry', codes: ['UNAVAILABLE', 'STEP_DEADLINE_EXCEEDED'] }],
});
