import { withRegistry } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/** Tells the service registry what the release offers, once the release serves for good: nothing of it is taken back. */
export const routeRegistration = step({
  key: 'route-registration',
  title: 'Register routes',
  stage: 'testing',
  when: withRegistry,
  needs: ['releaseId'],
  activity: 'registerRoutes',
  attemptSeconds: 8,
  deadlineSeconds: 10,
  cancellable: false,
  failOpen: [{ system: 'registry', codes: 'any' }],
});
