import { declares, notProvided, withRegistry } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/** Runs also where the catalog declares none: those of earlier deploys are removed then. */
export const bindings = step({
  key: 'bindings',
  title: 'Queue and schedule bindings',
  stage: 'testing',
  when: (context) => {
    const decision = withRegistry(context);
    if (decision === 'run') return decision;
    return notProvided(declares(context.catalog, 'queues') || declares(context.catalog, 'schedules'), decision.skip);
  },
  needs: ['releaseId'],
  activity: 'bindQueues',
  attemptSeconds: 8,
  deadlineSeconds: 10,
  cancellable: false,
  failOpen: [{ system: 'registry', codes: 'any' }],
});
