import { skip } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/**
 * Asks for scopes of services of other orgs, and gives the client those that are approved. The contract asks when it
 * resolves dependencies, a few steps before; here the client is there by then, so that an approval reaches it at once. Grants may be
 * revoked while a build is not at work: a retry looks at them anew until its install.
 */
export const scopeGrants = step({
  key: 'scope-grants',
  title: 'Create scope grants',
  stage: 'deploying',
  when: ({ catalog }) => {
    if ((catalog?.dependencies.length ?? 0) === 0) return skip('the catalog declares no dependencies');
    return (catalog?.auth ?? null) === null ? skip('the catalog declares no auth: there is no client') : 'run';
  },
  needs: ['catalog'],
  activity: 'createScopeGrants',
  attemptSeconds: 90,
  deadlineSeconds: 120,
  remadeUntil: 'install',
  wait: { code: 'SCOPE_GRANT_BLOCKED', read: 'readGrantDecisions' },
  failOpen: [{ system: 'identity-provider', codes: ['UNAVAILABLE', 'STEP_DEADLINE_EXCEEDED'] }],
});
