import { sectionNotProvided } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const modules = futureStep({
  key: 'modules',
  title: 'Register modules',
  stage: 'deploying',
  when: sectionNotProvided('modules', 'the catalog declares no modules'),
});
