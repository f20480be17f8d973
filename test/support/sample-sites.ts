import { pullProperty } from '../../activities/search-pulls/pull-property.ts';
import type { Property, Verification } from '../../domain/properties/property.ts';
import type { VerifyJob } from '../../domain/properties/verify-job.ts';
import { EMPTY_SUMMARY } from '../../domain/search-pulls/pull-run.ts';
import { property, SOURCE } from '../ports/properties/property-store.ts';
import { pullRun } from '../ports/search-pulls/records.ts';
import { startConsoleOnSiteRegistry } from './console-on-site-registry.ts';
import { createSearchPullsParts } from './in-memory/search-pulls-parts.ts';

const AT = new Date('2026-06-01T10:00:00Z');
const LONG = 'long'.repeat(14);
const TOKEN = 'google-site-verification=rXOxyZounnZasA8Z7oaD3c14JdjS9aKSWvsR1EbUSIQ';
const RUN = { token: TOKEN, tokenRequestedAt: AT } as const;

/** Jobs that {@link startSampleSites} knows. */
export const SAMPLE_JOBS = ['job_bulk', 'spr_failed', 'spr_running'] as const;

const stated = (domain: string, verification: Partial<Verification>, changes: Partial<Property> = {}): Property => {
  const bare = property({ domain, ...changes });
  return { ...bare, verification: { ...bare.verification, ...verification } };
};

/** A console on a site registry with something of everything that its pages show, some of it long. */
export async function startSampleSites() {
  const parts = createSearchPullsParts();
  const { rows: searchRows, windows: searchWindows, runs: pullRuns } = parts.deps;
  const on = await startConsoleOnSiteRegistry({ searchRows, searchWindows, pullRuns });
  for (const one of sampleProperties()) await on.site.properties.insert(one);
  for (const job of sampleVerifyJobs()) await on.site.jobs.insert(job);
  const failures = [{ domain: `${LONG}.com`, code: 'GOOGLE_PERMISSION', message: `no access: ${LONG}` }];
  const summary = {
    ...EMPTY_SUMMARY,
    properties: 120,
    pulled: 119,
    failed: 1,
    rows: 812_331,
    days: 480,
    truncatedDays: 3,
  };
  const problem = { code: 'UNAVAILABLE', message: LONG };
  await pullRuns.insert(
    pullRun({ id: 'spr_failed', status: 'failed', error: problem, summary: { ...summary, failures }, finishedAt: AT }),
  );
  await pullRuns.insert(pullRun({ id: 'spr_running' }));
  parts.add('cars.com', { since: '2026-01-01', rows: { query: 300, page: 120, country: 14 }, silentDays: 0 });
  const job = { property: 'cars.com', since: parts.clock.now.toISOString() };
  await pullProperty(parts.deps, job, new AbortController().signal);
  return on;
}

export type SampleSites = Awaited<ReturnType<typeof startSampleSites>>;

function sampleProperties(): readonly Property[] {
  const verified = {
    ...RUN,
    state: 'verified',
    path: 'automatic',
    txtWrittenAt: AT,
    verifyingAt: AT,
    verifiedAt: AT,
  } as const;
  const automatable = { zone: { automatable: true, checkedAt: AT } };
  const cars = (name: string) => stated(`${name}.com`, verified, { family: 'cars', role: 'main', ...automatable });
  return [
    cars('cars'),
    ...['wheels', 'motors', 'engines', 'drive'].map(cars),
    stated(
      'lost.com',
      { ...verified, recordSeen: false, checkedAt: AT, owners: [`${LONG}@example.com`] },
      { family: 'cars' },
    ),
    stated('far.com', {}, { family: 'travel' }),
    stated('auto.com', {}, { family: 'travel', ...automatable }),
    stated(
      'late.com',
      { ...RUN, state: 'txt-written', path: 'automatic', txtWrittenAt: AT },
      { family: 'travel', ...automatable },
    ),
    stated('hand.com', { ...RUN, state: 'token-requested', path: 'manual' }, { source: SOURCE }),
    stated(
      'failed.com',
      { ...RUN, state: 'error', path: 'automatic', txtWrittenAt: AT, errorAt: AT },
      {
        lastError: { source: 'dns', code: 'RECORD_NOT_SEEN', message: `ns1.example.com has "${LONG}"` },
        source: { ...SOURCE, keep: true, keepReason: LONG },
        map: { seenAt: AT, leftAt: AT },
        timeline: [
          { at: AT, event: 'added', detail: null },
          { at: AT, event: 'error', detail: `RECORD_NOT_SEEN: ${LONG}` },
        ],
      },
    ),
    stated(
      'sold.com',
      {},
      { family: LONG, ignored: { by: 'person', actor: 'usr_ada', reason: `sold to ${LONG}`, at: AT } },
    ),
    stated(`${LONG}.com`, { ...RUN, state: 'token-requested', path: 'manual' }, { family: LONG, role: LONG }),
  ];
}

function sampleVerifyJobs(): readonly VerifyJob[] {
  const outcome = (domain: string, of: VerifyJob['outcomes'][number]['outcome'], message: string | null = null) => ({
    ...{ domain, outcome: of, message, at: AT },
  });
  return [
    {
      ...{
        id: 'job_bulk',
        kind: 'verify',
        status: 'running',
        requestedBy: 'usr_root',
        createdAt: AT,
        finishedAt: null,
      },
      domains: ['cars.com', 'hand.com', 'failed.com', `${LONG}.com`, 'late.com'],
      outcomes: [
        outcome('cars.com', 'already-verified'),
        outcome('hand.com', 'record-not-seen-yet', 'The nameservers are elsewhere: set the TXT record there'),
        outcome('failed.com', 'error', `ns1.example.com has "${LONG}"`),
        outcome(`${LONG}.com`, 'skipped', 'Another run verifies it'),
      ],
    },
  ];
}
