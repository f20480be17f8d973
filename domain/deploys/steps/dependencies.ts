import { z } from 'zod';
import { skip } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/**
 * Only reads. What is deployed may change while an image is built again, so a retry resolves anew until its install.
 *
 * It asks the builder's own records, and so passes over no system: the contract skips a dependency while the registry is
 * away, and here the registry is not asked. Without those records a release would start without addresses that it had.
 */
export const dependencies = step({
  key: 'dependencies',
  title: 'Resolve dependencies',
  stage: 'deploying',
  when: ({ catalog }) =>
    (catalog?.dependencies.length ?? 0) > 0 ? 'run' : skip('the catalog declares no dependencies'),
  needs: ['catalog', 'port'],
  gives: {
    /** Those that are deployed in the environment of the build; see domain/deploys/dependency.ts. */
    dependencies: z.array(
      z.object({
        service: z.string(),
        serviceId: z.string().optional(),
        url: z.string(),
        variable: z.string().nullable(),
      }),
    ),
  },
  activity: 'resolveDependencies',
  local: true,
  attemptSeconds: 30,
  deadlineSeconds: 60,
  remadeUntil: 'install',
});
