import { z } from 'zod';
import { always } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

export const source = step({
  key: 'source',
  title: 'Fetch source',
  stage: 'cloning',
  when: always,
  gives: {
    commitSha: z.string(),
    branch: z.string(),
    /** Directory of the source on the worker, absolute. */
    workDir: z.string(),
  },
  activity: 'fetchSource',
  attemptSeconds: 600,
  deadlineSeconds: 900,
  remadeUntil: 'image-push',
});
