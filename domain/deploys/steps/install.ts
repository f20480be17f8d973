import { z } from 'zod';
import { always } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/** From its begin on a newer build waits. Until its release is registered, its effect is undone on failure. */
export const install = step({
  key: 'install',
  title: 'Install workload',
  stage: 'deploying',
  when: always,
  needs: ['catalog', 'imageTag', 'imageDigest', 'port'],
  gives: { releaseId: z.string(), workloadId: z.string(), url: z.string() },
  activity: 'installWorkload',
  attemptSeconds: 420,
  deadlineSeconds: 900,
  undo: { activity: 'restorePrevious', until: 'service-registration' },
  supersedable: false,
  // Until then a failure undoes it.
  remadeUntil: 'service-registration',
});
