import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as others } from 'node:timers/promises';
import type { BackupsActivities } from '../../activities/backups/index.ts';
import type { PropertiesActivities } from '../../activities/properties/index.ts';
import type { SearchPullsActivities } from '../../activities/search-pulls/index.ts';
import { PAYLOAD_LIMIT_BYTES } from '../../adapters/temporal/payload-size.ts';
import { createSearchPullCommands } from '../../adapters/temporal/search-pull-commands.ts';
import { BACKUPS_WORKFLOWS } from '../../domain/backups/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import { PROPERTY_WORKFLOWS } from '../../domain/properties/messages.ts';
import { SEARCH_PULL_WORKFLOW_ID } from '../../domain/search-pulls/messages.ts';
import type { NewPull } from '../../domain/search-pulls/pull-run.ts';
import { startDevServer } from '../replay/dev-server-scenarios.ts';
import { withOwnWorker } from '../replay/own-worker.ts';
import { backupRecord } from '../support/backup-record.ts';
import { createBackupsParts } from '../support/in-memory/backups-parts.ts';
import { waitUntil } from '../support/wait-until.ts';
import { createTemporal } from './deploys/harness.ts';

const NAMES = Array.from({ length: 30 }, (_, index) => `many-${String(index).padStart(2, '0')}.com`);
const PER_PAGE = 6;

/** Pages of the names, as lists of the database give them. */
function pageOf(cursor: string | null) {
  const next = Number(cursor ?? 0) + PER_PAGE;
  return { page: NAMES.slice(next - PER_PAGE, next), nextCursor: next < NAMES.length ? String(next) : null };
}

/** Each continues as new more than once, on a server that suggests it early. */
describe('work that one history does not hold', { timeout: 240_000 }, () => {
  let temporal: Awaited<ReturnType<typeof createTemporal>>;
  before(async () => {
    temporal = await createTemporal(startDevServer);
  });
  after(() => temporal?.stop());

  /** Runs a workflow to its end. @returns its result, and how many runs it took */
  async function play(type: string, workflowId: string, taskQueue: string, args: readonly unknown[] = []) {
    const { workflow } = temporal.client;
    const first = await workflow.start(type, { taskQueue, workflowId, args: [...args] });
    const result: unknown = await first.result();
    const { runId } = await workflow.getHandle(workflowId).describe();
    return { result, isContinued: runId !== first.firstExecutionRunId };
  }

  it('a pull of all properties pulls each once and keeps the lease and its id from run to run', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const journal: string[] = [];
    const activities: Partial<SearchPullsActivities> = {
      beginSearchPull: async ({ runId }) => void journal.push(`begun ${runId}`),
      listUnpulledProperties: async ({ cursor }) => {
        const { page, nextCursor } = pageOf(cursor);
        return { properties: page, nextCursor, parallelism: 2 };
      },
      pullSearchNumbers: async ({ property }) => {
        if (property === NAMES.at(-1)) await held;
        journal.push(property);
        return { days: 2, rows: 5, truncatedDays: 1, isWhole: true };
      },
      endSearchPull: async ({ summary }) => void journal.push(`ended ${JSON.stringify(summary)}`),
    };
    const commands = createSearchPullCommands(temporal.client);
    const at = new Date('2026-06-17T18:00:00Z');
    const pull: NewPull = { id: 'spr_long', trigger: 'manual', requestedBy: 'usr_ada', startedAt: at, since: at };
    const own = { taskQueue: 'unused-pulls', module: 'search-pulls', activities };
    await withOwnWorker(temporal, own, async () => {
      await commands.pullAll(pull);
      const handle = temporal.client.workflow.getHandle(SEARCH_PULL_WORKFLOW_ID);
      const { runId: first } = await handle.describe();
      await waitUntil('all but the last', () => journal.length === NAMES.length, { withinMs: 60_000 });
      assert.notEqual((await handle.describe()).runId, first, 'it continued as new');
      assert.equal(await commands.holder(), pull.id);
      await assert.rejects(commands.pullAll({ ...pull, id: 'spr_other' }), (error: unknown) => {
        assert.ok(error instanceof FairleadError);
        assert.deepEqual([error.code, error.details], ['PULL_IN_PROGRESS', { jobId: pull.id }]);
        return true;
      });
      release();
      await handle.result();
    });
    const [begun, ...rest] = journal;
    const summary = { properties: 30, pulled: 30, failed: 0, days: 60, rows: 150, truncatedDays: 30, failures: [] };
    assert.equal(begun, `begun ${pull.id}`);
    assert.deepEqual(rest.slice(0, -1).sort(), NAMES);
    assert.deepEqual(JSON.parse(rest.at(-1)?.replace('ended ', '') ?? ''), summary, 'once, with all of it');
  });

  it('a verification in bulk has one outcome of each domain, and four at a time in every run', async () => {
    const outcomes: string[] = [];
    let [atWork, most] = [0, 0];
    const activities: Partial<PropertiesActivities> = {
      requestToken: async () => {
        atWork += 1;
        most = Math.max(most, atWork);
        await others();
        atWork -= 1;
        return 'ignored';
      },
      recordOutcome: async ({ domain, jobId }, { outcome }) => void outcomes.push(`${jobId} ${domain} ${outcome}`),
    };
    const taskQueue = 'many-properties';
    await withOwnWorker(temporal, { taskQueue, module: 'properties', activities }, async () => {
      const args = [{ jobId: 'job_many', domains: NAMES }];
      const { isContinued } = await play(PROPERTY_WORKFLOWS.verifyMany, 'verify-bulk/job_many', taskQueue, args);
      assert.ok(isContinued);
    });
    assert.deepEqual(
      outcomes.sort(),
      NAMES.map((domain) => `job_many ${domain} skipped`),
    );
    assert.ok(most <= 4, `${most} at once`);
  });

  it('a re-check asks for each verified domain once and counts all', async () => {
    const asked: string[] = [];
    const activities: Partial<PropertiesActivities> = {
      recheckProperty: async (domain) => {
        asked.push(domain);
        return domain === NAMES[3] ? 'lost' : 'verified';
      },
      listVerified: async (cursor) => {
        const { page, nextCursor } = pageOf(cursor);
        return { domains: page, nextCursor };
      },
    };
    const taskQueue = 'many-rechecks';
    await withOwnWorker(temporal, { taskQueue, module: 'properties', activities }, async () => {
      const { result, isContinued } = await play(PROPERTY_WORKFLOWS.recheckProperties, 'property-recheck', taskQueue);
      assert.ok(isContinued);
      assert.deepEqual(result, { verified: 29, lost: 1, failed: 0 });
    });
    assert.deepEqual(asked.sort(), NAMES);
  });

  it('the proofs of a night restore each backup once, in the order of their turn, and make one report', async () => {
    const journal: string[] = [];
    const reports: unknown[] = [];
    const parts = await createBackupsParts();
    parts.deps.settings.nightPage = 13;
    // More than one result of an activity may carry.
    const ids = NAMES.map((name) => `bak_${name}_${'0'.repeat(PAYLOAD_LIMIT_BYTES / NAMES.length)}`);
    for (const [index, databaseName] of NAMES.entries()) {
      await parts.deps.backups.insert(backupRecord({ id: ids[index] ?? '', databaseName }));
    }
    const activities: Partial<BackupsActivities> = {
      reportStale: async () => Promise.reject(new FairleadError('INTERNAL', 'not known')),
      listBackupsToVerify: async (night, after) => {
        if (after == null) journal.push(night);
        return await parts.activities.listBackupsToVerify(night, after);
      },
      verifyBackup: async (id) => {
        journal.push(id);
        const isBad = id === ids[2] || id === ids[27];
        const problem = isBad ? { code: 'NOT_RESTORABLE', message: 'rotten' } : null;
        await parts.deps.backups.beginVerification(id, 'attempt', new Date());
        await parts.deps.backups.setVerification(id, 'attempt', { at: new Date(), problem });
        return problem;
      },
      reportNight: async (report) => void reports.push(report),
    };
    const taskQueue = 'many-proofs';
    await withOwnWorker(temporal, { taskQueue, module: 'backups', activities }, async () => {
      const { result, isContinued } = await play(BACKUPS_WORKFLOWS.verifyBackups, 'verify-backups', taskQueue);
      assert.ok(isContinued);
      assert.deepEqual(result, { verified: 28, failed: 2 });
    });
    const [night, ...proven] = journal;
    assert.deepEqual(proven, ids);
    const problems = [
      'Whether nights back up every database is not known: not known',
      `${ids[2]}: rotten`,
      `${ids[27]}: rotten`,
    ];
    assert.deepEqual(reports, [{ night, run: 'verification', problems }]);
  });
});
