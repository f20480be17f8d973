import type { BackupsActivities } from '../../activities/backups/index.ts';
import type { NightPlan } from '../../activities/backups/plan-night.ts';
import { BACKUPS_WORKFLOWS, type BackupJob } from '../../domain/backups/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import { NIGHT_HOURS } from '../../workflows/backups/night-limit.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

const night = '2026-07-24';

const JOB: BackupJob = {
  ...{ id: 'bak_untold', serviceId: 'svc_shop', org: 'acme', service: 'untold', environment: 'prod' },
  ...{ engine: 'postgres', databaseName: 'untold_prod', kind: 'nightly', tier: 'daily', night },
  ...{ requestedBy: 'schedule', startedAt: '2026-07-24T02:00:00.000Z', requestId: null },
};

const PLAN: NightPlan = {
  ...{ jobs: [JOB], more: null, parallelism: 2, missed: ['2026-07-23'], unlisted: [], skipped: 0, idle: null },
};

/** Nights whose mail is refused, after one that was missed and where nothing can be planned or proven; one that waits no longer for a backup. */
export async function untoldNights(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const refuse = async () => {
    throw new FairleadError('UNAVAILABLE', 'The mail server refused the mail (535)', { retryable: false });
  };
  const activities: Partial<BackupsActivities> = {
    ...{ closeAbandoned: async () => [], planNight: async () => PLAN, reportNight: refuse },
    ...{ openBackup: async () => ({ dumpTimeoutMs: 60_000 }), dumpDatabase: async () => undefined },
    pruneBackups: async () => 0,
  };
  const play = async (changed: Partial<BackupsActivities>, workflowId: string, args: readonly unknown[] = []) => {
    const options = { taskQueue: 'backups', module: 'backups', activities: { ...activities, ...changed } };
    const { verifyBackups, nightlyBackups } = BACKUPS_WORKFLOWS;
    const type = changed.listBackupsToVerify === undefined ? nightlyBackups : verifyBackups;
    await withOwnWorker(temporal, options, (execute) => execute(type, workflowId, args));
    return { [workflowId]: workflowId };
  };
  const away = async () => {
    throw new FairleadError('UNAVAILABLE', 'The database cannot be reached', { retryable: true });
  };
  const untold = await play({}, 'nightly-backups-untold');
  const unplanned = await play({ planNight: refuse }, 'nightly-backups-unplanned');
  const unlisted = await play({ listBackupsToVerify: refuse, reportStale: refuse }, 'verify-backups-unlisted');
  const begunAt = new Date((await temporal.env.currentTimeMs()) - (NIGHT_HOURS - 0.1) * 3_600_000).toISOString();
  const left = {
    night,
    begunAt,
    jobs: [JOB],
    more: null,
    parallelism: 2,
    tally: { completed: 0, failed: 0, skipped: 0 },
  };
  const unended = { dumpDatabase: refuse, failBackup: away, reportNight: async () => undefined };
  return { ...untold, ...unplanned, ...unlisted, ...(await play(unended, 'nightly-backups-unended', [left])) };
}
