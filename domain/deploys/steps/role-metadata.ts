import { isReinstall } from '../build-kind.ts';
import { skip } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/**
 * Once the release serves for good: who may sign in becomes what the catalog says, also where that lets more people in,
 * and the registry is told roles and registration. Of a release that is rolled back to, what its own catalog said.
 */
export const roleMetadata = step({
  key: 'role-metadata',
  title: 'Role and registration metadata',
  stage: 'testing',
  when: ({ kind, catalog, installation }) => {
    // Also without the sections: what an earlier catalog declared is taken back.
    if (installation.registry || isReinstall(kind) || catalog?.auth?.mode === 'sso') return 'run';
    return skip('no service registry is configured (REGISTRY_URL), and nobody signs in to the service');
  },
  needs: ['releaseId'],
  activity: 'registerMetadata',
  attemptSeconds: 15,
  deadlineSeconds: 20,
  cancellable: false,
  failOpen: [
    { system: 'registry', codes: 'any' },
    { system: 'identity-provider', codes: 'any' },
  ],
});
