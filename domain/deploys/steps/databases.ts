import { z } from 'zod';
import { DATABASE_ENGINES } from '../../databases/engines.ts';
import { skip } from '../step-decisions.ts';
import { step } from '../step-definition.ts';

/**
 * A server that is away ends the build: the workload would start without its data. The first database of an embedded stack
 * waits until its server is there, which may have to be fetched. Others may drop what a removed service left, so a retry
 * makes sure of it anew until its install.
 */
export const databases = step({
  key: 'databases',
  title: 'Provision databases',
  stage: 'deploying',
  when: ({ catalog }) => ((catalog?.databases.length ?? 0) > 0 ? 'run' : skip('the catalog declares no databases')),
  needs: ['catalog'],
  gives: {
    /** Engines of which the service has a database now. */
    databases: z.array(z.enum(DATABASE_ENGINES)),
  },
  activity: 'provisionDatabases',
  attemptSeconds: 900,
  deadlineSeconds: 1_200,
  remadeUntil: 'install',
});
