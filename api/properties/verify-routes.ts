import { z } from 'zod';
import { eachItem } from '../../domain/each-item.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type Property, statusOf } from '../../domain/properties/property.ts';
import {
  bulkBodySchema,
  checkSchema,
  domainSchema,
  propertyView,
  recordSchema,
  startedBulkSchema,
  startedVerifySchema,
} from '../../domain/properties/schema.ts';
import { MOST_JOB_DOMAINS, type VerifyJob } from '../../domain/properties/verify-job.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { PropertiesDeps } from './deps.ts';
import { recordChange } from './record-change.ts';
import { requireProperty } from './require-property.ts';
import { actorOf, READERS, SYNCERS } from './site-callers.ts';

const tag = 'verification';
const params = z.strictObject({ domain: domainSchema });
const ENGINE_ERRORS = ['GOOGLE_PERMISSION', 'GOOGLE_REFUSED', 'GOOGLE_NOT_CONFIGURED'] as const;

/** How a domain becomes verified. */
export function verifyRoutes(deps: PropertiesDeps): readonly Route[] {
  return [verifyRoute(deps), bulkRoute(deps), recordRoute(deps), checkRoute(deps)];
}

function verifyRoute(deps: PropertiesDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/api/properties/:domain/verify',
    summary: 'Begins to verify a domain',
    description:
      'From every state, error as well. A verified domain is only checked. Where the nameservers are elsewhere, the run ends with the record that a person sets.',
    tag,
    ...SYNCERS,
    params,
    responses: { 202: { description: 'The job that was begun', schema: startedVerifySchema } },
    errors: ['NOT_FOUND', 'PROPERTY_IGNORED', 'VERIFY_IN_PROGRESS'],
    resource: (input) => requireProperty(deps, input.params.domain),
    handle: async ({ resource: property }, context) => {
      const { domain, ignored } = property;
      if (ignored !== null) throw isIgnored(domain);
      const job = newJob(deps, [domain], actorOf(context.caller));
      await recordChange(deps, context, { type: 'webmaster.verify.asked', subject: domain, data: { jobId: job.id } });
      await begin(deps, job, () => deps.commands.verify({ domain, jobId: job.id }));
      const data = { jobId: job.id, domain, poll: pollOf(job), property: propertyView(property) };
      return { status: 202, data };
    },
  });
}

function bulkRoute(deps: PropertiesDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/api/properties/verify-bulk',
    summary: 'Begins to verify many domains, four at a time',
    description:
      'All that are automatable and not verified, or those that are named. What becomes of one stops no other; GET /api/jobs/:id has the outcome of each.',
    tag,
    ...SYNCERS,
    body: bulkBodySchema,
    responses: { 202: { description: 'The job that was begun', schema: startedBulkSchema } },
    handle: async ({ body }, context) => {
      const domains = body.domains === undefined ? await listAutomatable(deps) : [...new Set(body.domains)];
      const job = newJob(deps, domains, actorOf(context.caller));
      const data = { domains: domains.length };
      await recordChange(deps, context, { type: 'webmaster.bulk.asked', subject: job.id, data });
      const isEmpty = domains.length === 0;
      await begin(deps, isEmpty ? { ...job, status: 'done', finishedAt: deps.now() } : job, async () => {
        if (!isEmpty) await deps.commands.verifyMany({ jobId: job.id, domains });
      });
      return { status: 202, data: { jobId: job.id, total: domains.length, poll: pollOf(job) } };
    },
  });
}

async function listAutomatable({ properties }: PropertiesDeps): Promise<readonly string[]> {
  const found: string[] = [];
  const isWaiting = (property: Property) =>
    property.zone.automatable === true && ['unverified', 'error'].includes(statusOf(property));
  for await (const property of eachItem(properties.listAll)) {
    if (isWaiting(property)) found.push(property.domain);
    if (found.length === MOST_JOB_DOMAINS) break;
  }
  return found;
}

function recordRoute(deps: PropertiesDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/properties/:domain/verification-record',
    summary: 'The TXT record that verifies a domain, for whoever sets it by hand',
    description: 'It never writes DNS. Before a run has asked for it, the search engine is asked now.',
    tag,
    ...READERS,
    params,
    responses: { 200: { description: 'The record', schema: recordSchema } },
    errors: ['NOT_FOUND', ...ENGINE_ERRORS],
    resource: (input) => requireProperty(deps, input.params.domain),
    handle: async ({ resource: { domain, verification } }) => {
      const value = verification.token ?? (await deps.commands.readRecord(domain)).token;
      return { status: 200, data: { domain, type: 'TXT', name: domain, value, path: verification.path } };
    },
  });
}

function checkRoute(deps: PropertiesDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/api/properties/:domain/check-now',
    summary: 'Asks the search engine once whether it finds the record',
    description: 'Nothing is polled, and nothing changes unless it is verified.',
    tag,
    ...SYNCERS,
    params,
    responses: { 200: { description: 'What it said', schema: checkSchema } },
    errors: ['NOT_FOUND', 'PROPERTY_IGNORED', ...ENGINE_ERRORS],
    resource: (input) => requireProperty(deps, input.params.domain),
    handle: async ({ resource: { domain, ignored } }, context) => {
      if (ignored !== null) throw isIgnored(domain);
      await recordChange(deps, context, { type: 'webmaster.verify.checked', subject: domain, data: {} });
      const { verified, reason } = await deps.commands.check(domain);
      const property = propertyView(await requireProperty(deps, domain));
      return { status: 200, data: { domain, verified, reason, property } };
    },
  });
}

function isIgnored(domain: string): FairleadError {
  const message = `${domain} is ignored: POST /api/properties/${domain}/ignore with ignored false takes that back`;
  return new FairleadError('PROPERTY_IGNORED', message);
}

function newJob({ newId, now }: PropertiesDeps, domains: readonly string[], requestedBy: string): VerifyJob {
  return {
    ...{ id: newId('job'), kind: 'verify', status: 'running', domains, outcomes: [], requestedBy },
    ...{ createdAt: now(), finishedAt: null },
  };
}

/** The job is there before its workflow, which writes what came of it. One that was not begun is taken back. */
async function begin({ jobs }: PropertiesDeps, job: VerifyJob, start: () => Promise<void>): Promise<void> {
  await jobs.insert(job);
  try {
    await start();
  } catch (error) {
    // Where Temporal did not answer, it may have begun all the same: then its outcome has to find the job.
    if (error instanceof FairleadError && error.code === 'VERIFY_IN_PROGRESS') await jobs.remove(job.id);
    throw error;
  }
}

const pollOf = ({ id }: VerifyJob): string => `/api/jobs/${id}`;
