import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import {
  checkSchema,
  ownersSchema,
  propertySchema,
  recordSchema,
  startedBulkSchema,
  startedVerifySchema,
  syncSummarySchema,
} from '../../domain/properties/schema.ts';
import { type Action, defineAction } from '../page.ts';
import { propertyParams } from './property-page.ts';
import { CALLERS, emptyIsNone, jobPath, PATH, propertyApi, propertyPath } from './words.ts';

/** The site registry waits for a worker so long, at most. */
const WAIT_MS = 30_000;

const sync = defineAction({
  module: 'properties',
  path: `${PATH}/sync`,
  summary: 'Makes the Properties what the domain map says',
  callers: CALLERS,
  back: () => PATH,
  run: async ({ platform }) => {
    const path = '/api/properties/sync-from-map';
    const done = await platform.send('site-registry', 'POST', path, syncSummarySchema, { waitMs: WAIT_MS });
    const { added, changed, unchanged, left, invalid } = done;
    const [first] = invalid;
    const leftOut =
      first === undefined ? '' : ` ${invalid.length} lines were left out; the first, ${first.text}: ${first.reason}.`;
    const notice = `The domain map: ${added} added, ${changed} changed, ${unchanged} as before, ${left} left it.${leftOut}`;
    return { to: PATH, notice };
  },
});

const verifyAll = defineAction({
  module: 'properties',
  path: `${PATH}/verify`,
  summary: 'Verifies all domains whose record the platform writes',
  callers: CALLERS,
  back: () => PATH,
  run: async ({ platform }) => {
    const body = { filter: 'automatable' };
    const path = '/api/properties/verify-bulk';
    const { jobId } = await platform.send('site-registry', 'POST', path, startedBulkSchema, { body });
    return { to: jobPath(jobId), notice: 'The verification has begun, four domains at a time.' };
  },
});

const verify = defineAction({
  module: 'properties',
  path: `${PATH}/:domain/verify`,
  summary: 'Begins to verify a domain',
  callers: CALLERS,
  params: propertyParams,
  back: ({ domain }) => propertyPath(domain),
  run: async ({ platform, params: { domain } }) => {
    const { property } = await platform.send(
      'site-registry',
      'POST',
      propertyApi(domain, 'verify'),
      startedVerifySchema,
    );
    const begun = property.status === 'verified' ? 'The search engine is asked again.' : 'The verification has begun.';
    return { to: propertyPath(domain), notice: begun };
  },
});

const askForRecord = defineAction({
  module: 'properties',
  path: `${PATH}/:domain/record`,
  summary: 'Asks the search engine for the record that verifies a domain',
  callers: CALLERS,
  params: propertyParams,
  back: ({ domain }) => propertyPath(domain),
  run: async ({ platform, params: { domain } }) => {
    await platform.get('site-registry', propertyApi(domain, 'verification-record'), recordSchema);
    return { to: `${propertyPath(domain)}#record` };
  },
});

const check = defineAction({
  module: 'properties',
  path: `${PATH}/:domain/check`,
  summary: 'Asks the search engine once whether it finds the record',
  callers: CALLERS,
  params: propertyParams,
  back: ({ domain }) => propertyPath(domain),
  run: async ({ platform, params: { domain } }) => {
    const path = propertyApi(domain, 'check-now');
    const { verified, reason } = await platform.send('site-registry', 'POST', path, checkSchema, { waitMs: WAIT_MS });
    // Told as what failed is: nothing has changed.
    if (!verified) throw new FairleadError('CONFLICT', `Not verified yet: ${reason ?? 'the record was not found'}`);
    return { to: propertyPath(domain), notice: `${domain} is verified.` };
  },
});

const ignore = defineAction({
  module: 'properties',
  path: `${PATH}/:domain/ignore`,
  summary: 'Ignores a domain, or no longer',
  callers: CALLERS,
  params: propertyParams,
  body: z.strictObject({
    ignored: z.enum(['yes', 'no']),
    reason: z.preprocess(emptyIsNone, z.string().trim().min(1).max(500).optional()),
  }),
  back: ({ domain }) => propertyPath(domain),
  run: async ({ platform, params: { domain }, body: { ignored, reason } }) => {
    const body = { ignored: ignored === 'yes', ...(reason !== undefined && { reason }) };
    await platform.send('site-registry', 'POST', propertyApi(domain, 'ignore'), propertySchema, { body });
    return {
      to: propertyPath(domain),
      notice: body.ignored ? `${domain} is ignored.` : `${domain} is ignored no longer.`,
    };
  },
});

const addOwner = defineAction({
  module: 'properties',
  path: `${PATH}/:domain/owners`,
  summary: 'Makes somebody an owner of a verified domain at the search engine',
  callers: CALLERS,
  params: propertyParams,
  body: z.strictObject({ email: z.email('an e-mail address').max(254) }),
  back: ({ domain }) => propertyPath(domain),
  run: async ({ platform, params: { domain }, body }) => {
    const request = { body, waitMs: WAIT_MS };
    await platform.send('site-registry', 'POST', propertyApi(domain, 'owners'), ownersSchema, request);
    return { to: propertyPath(domain), notice: `${body.email} is an owner.` };
  },
});

export const propertyActions: readonly Action[] = [sync, verifyAll, verify, askForRecord, check, ignore, addOwner];
