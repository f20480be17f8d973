import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { verifyJobSchema } from '../../domain/properties/schema.ts';
import { pullRunSchema } from '../../domain/search-pulls/search-schema.ts';
import { pollRegions } from '../live/poll.ts';
import { badge, type Tone } from '../look/badge.ts';
import { card, facts, liveRegion, notice, table } from '../look/components.ts';
import { exact } from '../look/time.ts';
import { definePage, type PageContext } from '../page.ts';
import { pathOf } from '../platform/platform.ts';
import { pullBody } from '../search-pulls/pull-run-view.ts';
import { CALLERS, PATH, propertyPath } from './words.ts';

const params = z.strictObject({ id: z.string().min(1).max(100) });
const LOOK_MS = 2_000;
const JOB = z.discriminatedUnion('kind', [verifyJobSchema, pullRunSchema]);

type Job = z.output<typeof JOB>;
type VerifyJob = z.output<typeof verifyJobSchema>;
type Context = PageContext<z.output<typeof params>>;

const load = ({ platform, params: { id } }: Context): Promise<Job> =>
  platform.get('site-registry', pathOf('api', 'jobs', id), JOB);

/** A verification of one domain or many, or a pull of all search numbers: how far it is, and what came of it. */
export const jobPage = definePage({
  module: 'properties',
  path: `${PATH}/jobs/:id`,
  summary: 'A verification of domains or a pull of search numbers, while it runs and afterwards',
  callers: CALLERS,
  params,
  load,
  people: ({ requestedBy }) => ({ ids: [requestedBy] }),
  view: (job, context) => ({
    title: job.kind === 'verify' ? 'Verification' : 'Pull of search numbers',
    crumbs: [['Properties', PATH]],
    beside: liveRegion('status', jobBadge(job), 'polite'),
    lead: leadOf(job, context),
    live: job.status === 'running' ? {} : null,
    body: liveRegion('job', body(job)),
  }),
  live: (context) =>
    pollRegions(context, LOOK_MS, async () => {
      const job = await load(context);
      return { status: jobBadge(job), job: body(job) };
    }),
});

function leadOf(job: Job, { who }: Context): Html {
  const begunAt = job.kind === 'verify' ? job.createdAt : job.startedAt;
  const by = job.requestedBy === 'schedule' ? 'by the schedule' : html`by ${who(job.requestedBy)}`;
  return html`Begun ${exact(begunAt)}, ${by}`;
}

function jobBadge(job: Job): Html {
  if (job.status === 'running') return badge('busy', 'Runs');
  return job.status === 'failed' ? badge('bad', 'Failed') : badge('good', 'Done');
}

function body(job: Job): Html {
  return job.kind === 'verify' ? verifyBody(job) : pullBody(job);
}

type Outcome = VerifyJob['outcomes'][number];

const OUTCOMES: Readonly<Record<Outcome['outcome'], readonly [tone: Tone, label: string]>> = {
  verified: ['good', 'Verified'],
  'already-verified': ['good', 'Was verified before'],
  'record-not-seen-yet': ['warn', 'Waits for the record'],
  error: ['bad', 'Failed'],
  skipped: ['quiet', 'Skipped'],
};

function verifyBody({ progress, outcomes, status, finishedAt }: VerifyJob): Html {
  const { done, total } = progress;
  const rows = [
    ['Domains', `${done} of ${total} done`],
    ['Ended', finishedAt === null ? html`<span class="quiet">Not yet</span>` : exact(finishedAt)],
  ] as const;
  return html`${total === 0 && notice('info', html`<p>There was nothing to verify.</p>`)}${card({ title: 'Progress' }, facts(rows))}
${card({ title: 'What came of each domain', flush: true }, outcomes.length === 0 ? html`<p class="quiet">${status === 'running' ? 'Nothing yet: a run takes minutes, and an hour at most.' : 'Nothing.'}</p>` : table('Outcomes', COLUMNS, outcomes.map(outcomeRow)))}`;
}

const COLUMNS = [{ label: 'Domain', kind: 'main' }, { label: 'Outcome' }, { label: 'When' }] as const;

function outcomeRow({ domain, outcome, message, at }: Outcome) {
  return [
    html`<a href="${propertyPath(domain)}">${domain}</a>`,
    html`<div>${badge(...OUTCOMES[outcome])}${message !== null && html`<span class="sub">${message}</span>`}</div>`,
    exact(at),
  ];
}
