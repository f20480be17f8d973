import type { DatabasesActivities } from '../../activities/databases/index.ts';
import { DATABASE_WORKFLOWS, type RotationRequest, rotationWorkflowId } from '../../domain/databases/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

type Due = Awaited<ReturnType<DatabasesActivities['listDueLogins']>>['items'][number];

const due = (service: string): Due => {
  return { id: `postgres/${service}_prod`, engine: 'postgres', consumes: null, service, environment: 'prod' };
};
const ROTATED = due('shop');
const BUSY = due('busy');
const AWAY = due('away');

/** A night in which one login is rotated, people deploy another service for hours, and a server is away. */
export async function loginRotation(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  let looks = 0;
  const activities: Partial<DatabasesActivities> = {
    reconcileServers: async () => ['the users of Redis: away'],
    listDueLogins: async (cursor) =>
      cursor === null ? { items: [ROTATED, BUSY], nextCursor: 'more' } : { items: [AWAY], nextCursor: null },
    prepareLogin: async () => ({ kind: 'begun', buildId: 'bld_restart' }),
    acceptLogin: async (id) => {
      if (id === AWAY.id) throw new FairleadError('UNAVAILABLE', 'the server refuses its administrator');
    },
    promoteLogin: async () => 7_000,
    replaceWorkload: async ({ id }) => {
      if (id === BUSY.id) return 'busy';
      looks += 1;
      return looks > 2 ? 'rotated' : 'replacing';
    },
    tellWaiting: async () => undefined,
  };
  const request = (one: Due): RotationRequest => {
    return { id: one.id, isAsked: true, requestedBy: 'usr_ann', requestId: 'req_1' };
  };
  const options = { taskQueue: 'rotations', module: 'databases', activities };
  return await withOwnWorker(temporal, options, async (execute) => {
    await execute(DATABASE_WORKFLOWS.rotateLogins, 'rotate-database-logins');
    await execute(DATABASE_WORKFLOWS.rotateLogin, `${rotationWorkflowId(ROTATED)}/asked`, [request(ROTATED)]);
    return {
      'login-rotations': 'rotate-database-logins',
      'login-rotations-reconciled': 'rotate-database-logins',
      'login-rotation': `${rotationWorkflowId(ROTATED)}/asked`,
      'login-rotation-busy': rotationWorkflowId(BUSY),
      'login-rotation-failed': rotationWorkflowId(AWAY),
    };
  });
}
