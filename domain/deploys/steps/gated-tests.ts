import { sectionNotProvided } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const gatedTests = futureStep({
  key: 'gated-tests',
  title: 'Deploy-gated tests',
  stage: 'testing',
  when: sectionNotProvided('tests', 'the catalog declares no tests'),
});
