import { skip } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/** A host of the platform whose record is not there yet costs the new service its address, and never its deploy (spec 2). */
export const dns = step({
  key: 'dns',
  title: 'Configure DNS',
  stage: 'deploying',
  when: ({ installation }) =>
    installation.dns
      ? 'run'
      : skip(
          'no DNS provider is configured: a wildcard record of the platform’s domain leads to its services; localhost needs none',
        ),
  activity: 'configureDns',
  attemptSeconds: 8,
  deadlineSeconds: 10,
  failOpen: [{ system: 'dns', codes: 'any' }],
});
