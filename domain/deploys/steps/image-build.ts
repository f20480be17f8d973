import { z } from 'zod';
import { always } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

export const imageBuild = step({
  key: 'image-build',
  title: 'Build image',
  stage: 'building',
  when: always,
  needs: ['workDir', 'contextPath', 'dockerfile', 'imageTag'],
  gives: {
    /** The lockfile that the install wrote, and the build that keeps it: that of a retry may have reused the image. */
    lockfile: z.object({ name: z.string(), buildId: z.string() }),
  },
  activity: 'buildImage',
  attemptSeconds: 1_800,
  deadlineSeconds: 3_600,
  remadeUntil: 'image-push',
});
