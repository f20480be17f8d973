import { skip } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const dns = futureStep({
  key: 'dns',
  title: 'Configure DNS',
  stage: 'deploying',
  when: ({ installation }) =>
    skip(
      installation.runtime === 'docker'
        ? 'the local router needs no DNS records'
        : 'DNS management is off (ENABLE_DNS_MANAGEMENT)',
    ),
  failOpen: [{ system: 'dns', codes: 'any' }],
});
