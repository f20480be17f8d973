import { skip } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/** Once the release serves for good: a deploy never waits long for its monitor, nor fails for it (spec 3, "Monitor behaviour"). */
export const monitor = step({
  key: 'monitor',
  title: 'Uptime monitor',
  stage: 'testing',
  when: ({ installation }) => (installation.monitor ? 'run' : skip('no uptime monitor is configured (MONITOR_URL)')),
  needs: ['releaseId'],
  activity: 'registerMonitor',
  attemptSeconds: 8,
  deadlineSeconds: 10,
  cancellable: false,
  failOpen: [{ system: 'monitor', codes: 'any' }],
});
