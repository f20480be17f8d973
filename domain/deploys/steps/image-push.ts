import { z } from 'zod';
import { always } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

export const imagePush = step({
  key: 'image-push',
  title: 'Push image',
  stage: 'pushing',
  when: always,
  needs: ['imageTag'],
  gives: {
    /** `registry/name@sha256:…`, as the registry reported it after the push. */
    imageDigest: z.string(),
  },
  activity: 'pushImage',
  attemptSeconds: 900,
  deadlineSeconds: 1_800,
});
