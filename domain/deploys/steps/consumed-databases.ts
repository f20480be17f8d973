import { z } from 'zod';
import { CONSUMED_ENGINES, DATABASE_ACCESS } from '../../catalog/catalog.ts';
import { skip } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/**
 * Needs the grants of all that the catalog asks of other orgs, so that these are asked once for all of it, and by the
 * build's waiting for a decision. A server that is away ends the build, as with the service's own databases.
 */
export const consumedDatabases = step({
  key: 'consumed-databases',
  title: 'Provision consumed databases',
  stage: 'deploying',
  when: ({ catalog }) =>
    (catalog?.dependencies.some(({ databases = [] }) => databases.length > 0) ?? false)
      ? 'run'
      : skip('the service consumes no other service’s database'),
  needs: ['catalog'],
  gives: {
    /** Those that the service has a login of now. */
    consumedDatabases: z.array(
      z.object({
        engine: z.enum(CONSUMED_ENGINES),
        access: z.enum(DATABASE_ACCESS),
        service: z.string(),
        serviceId: z.string(),
      }),
    ),
  },
  activity: 'provisionConsumedDatabases',
  attemptSeconds: 900,
  deadlineSeconds: 1_200,
  remadeUntil: 'install',
  wait: { code: 'SCOPE_GRANT_BLOCKED', read: 'readGrantDecisions' },
});
