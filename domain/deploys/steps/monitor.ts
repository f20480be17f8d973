import { skip } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const monitor = futureStep({
  key: 'monitor',
  title: 'Uptime monitor',
  stage: 'testing',
  when: () => skip('no uptime monitor (MONITOR_URL) is configured'),
  failOpen: [{ system: 'monitor', codes: 'any' }],
});
