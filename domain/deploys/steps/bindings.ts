import { declares, notProvided } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const bindings = futureStep({
  key: 'bindings',
  title: 'Queue and schedule bindings',
  stage: 'testing',
  when: ({ catalog }) =>
    notProvided(
      declares(catalog, 'queues') || declares(catalog, 'schedules'),
      'the catalog declares no queues or schedules',
    ),
  failOpen: [{ system: 'registry', codes: 'any' }],
});
