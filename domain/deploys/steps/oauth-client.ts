import { skip } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/**
 * A provider that is away ends the build only when no credential is stored; the step decides, and warns otherwise. Which
 * scopes the client may have depends on others, such as an org that authorizes this one: a retry asks anew until its install.
 */
export const oauthClient = step({
  key: 'oauth-client',
  title: 'Provision OAuth client',
  stage: 'deploying',
  // Catalogs in records of builds from before there were clients have no `auth` at all.
  when: ({ catalog }) => ((catalog?.auth ?? null) === null ? skip('the catalog declares no auth') : 'run'),
  needs: ['catalog'],
  activity: 'provisionOAuthClient',
  attemptSeconds: 30,
  deadlineSeconds: 120,
  remadeUntil: 'install',
});
