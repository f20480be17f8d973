import { always } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

export const imageBuild = step({
  key: 'image-build',
  title: 'Build image',
  stage: 'building',
  when: always,
  needs: ['workDir', 'contextPath', 'dockerfile', 'imageTag'],
  activity: 'buildImage',
  attemptSeconds: 1_800,
  deadlineSeconds: 3_600,
  remadeUntil: 'image-push',
});
