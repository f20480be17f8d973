import { z } from 'zod';
import { always } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

export const healthCheck = step({
  key: 'health-check',
  title: 'Check health',
  stage: 'deploying',
  when: always,
  needs: ['releaseId'],
  gives: { healthReportsCommit: z.boolean() },
  activity: 'checkHealth',
  attemptSeconds: 90,
  deadlineSeconds: 180,
  // The workload that it asked is gone when the install was undone.
  remadeUntil: 'service-registration',
});
