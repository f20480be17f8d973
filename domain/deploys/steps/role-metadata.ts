import { sectionNotProvided } from '../step-decisions.ts';
import { futureStep } from '../step-definition.ts';

export const roleMetadata = futureStep({
  key: 'role-metadata',
  title: 'Role and registration metadata',
  stage: 'testing',
  when: sectionNotProvided('registration', 'the catalog declares no registration'),
  failOpen: [{ system: 'registry', codes: 'any' }],
});
