import type { PropertiesActivities } from '../../activities/properties/index.ts';
import { FairleadError } from '../../domain/errors.ts';
import { PROPERTY_WORKFLOWS, SYNC_WORKFLOW_ID, verifyWorkflowId } from '../../domain/properties/messages.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

const SUMMARY = { added: 1, changed: 0, unchanged: 2, left: 0, ignored: 0, invalid: [] };

/** Domains that are verified, late, never, by hand and in bulk; the sync, the re-check and what is left alone. */
export async function properties(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const looks = new Map<string, number>();
  const map = { isReadable: true };
  const activities: Partial<PropertiesActivities> = {
    requestToken: async ({ domain }) => (domain === 'verified.com' ? 'verified' : 'requested'),
    placeRecord: async ({ domain }) => (domain === 'manual.com' ? 'manual' : 'written'),
    lookForRecord: async ({ domain }) => {
      const count = (looks.get(domain) ?? 0) + 1;
      looks.set(domain, count);
      const isVisible = domain !== 'never.com' && count > 2;
      return { state: isVisible ? 'visible' : 'not-yet', seen: 'ns has no TXT record' };
    },
    confirmRecord: async () => ({ state: 'verified', reason: null }),
    confirmOnce: async () => ({ state: 'verified', reason: null }),
    completeVerified: async (domain) => {
      if (domain === 'late.com') throw new FairleadError('GOOGLE_PERMISSION', 'no', { system: 'google' });
    },
    failVerification: async () => undefined,
    recordOutcome: async () => undefined,
    recheckProperty: async (domain) => (domain === 'lost.com' ? 'lost' : 'verified'),
    listVerified: async (cursor) =>
      cursor === null ? { domains: ['verified.com'], nextCursor: 'more' } : { domains: ['lost.com'], nextCursor: null },
    listStranded: async () => [{ domain: 'stranded.com', jobId: 'job_2' }],
    closeBrokenJobs: async () => undefined,
    syncDomainMap: async () => {
      if (map.isReadable) return SUMMARY;
      throw new FairleadError('DOMAIN_MAP_UNREADABLE', 'it is no map');
    },
    refreshZones: async () => ({ automatable: 1, manual: 2 }),
    addOwner: async () => ['ada@example.com'],
    readToken: async () => 'google-site-verification=1',
  };
  const options = { taskQueue: 'properties', module: 'properties', activities };
  return await withOwnWorker(temporal, options, async (execute) => {
    const verify = (domain: string) =>
      execute(PROPERTY_WORKFLOWS.verifyProperty, verifyWorkflowId(domain), [{ domain, jobId: 'job_1' }]);
    for (const domain of ['late.com', 'never.com', 'manual.com', 'verified.com']) await verify(domain);
    const domains = ['bulk.com', 'manual.com'];
    await execute(PROPERTY_WORKFLOWS.verifyMany, 'verify-bulk/job_3', [{ jobId: 'job_3', domains }]);
    await execute(PROPERTY_WORKFLOWS.resumeVerifications, 'verify-resume');
    await execute(PROPERTY_WORKFLOWS.recheckProperties, 'property-recheck');
    await execute(PROPERTY_WORKFLOWS.syncDaily, 'property-sync-daily');
    const { runId: synced } = await temporal.client.workflow.getHandle(SYNC_WORKFLOW_ID).describe();
    map.isReadable = false;
    await execute(PROPERTY_WORKFLOWS.syncDaily, 'property-sync-without-map').catch(() => undefined);
    const asked = (kind: string) => `ask-search-engine/${kind}/manual.com`;
    for (const kind of ['check', 'owner', 'record']) {
      const question = { kind, domain: 'manual.com', email: 'ada@example.com' };
      await execute(PROPERTY_WORKFLOWS.askSearchEngine, asked(kind), [question]);
    }
    return {
      'property-verified': verifyWorkflowId('late.com'),
      'property-never-seen': verifyWorkflowId('never.com'),
      'property-checked': verifyWorkflowId('verified.com'),
      'property-bulk': 'verify-bulk/job_3',
      'property-manual': verifyWorkflowId('manual.com'),
      'property-resume': 'verify-resume',
      'property-recheck': 'property-recheck',
      'property-sync-daily': 'property-sync-daily',
      'property-sync-without-map': 'property-sync-without-map',
      'property-sync': { workflowId: SYNC_WORKFLOW_ID, runId: synced },
      'property-check-now': asked('check'),
      'property-owner': asked('owner'),
      'property-record': asked('record'),
    };
  });
}
