import { z } from 'zod';
import { triggerReplySchema } from '../../domain/deploys/schema.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { MEMBERS } from '../members.ts';
import { defineAction } from '../page.ts';
import { pathOf } from '../platform/platform.ts';

export const serviceParams = z.object({ name: z.string().max(64) });

/** A field that was left empty is none. */
const optionalText = z
  .string()
  .trim()
  .max(250)
  .transform((text) => (text === '' ? undefined : text))
  .optional();

const serviceOf = ({ name }: z.output<typeof serviceParams>): string => pathOf('services', name);

export const deployService = defineAction({
  module: 'services',
  path: '/services/:name/deploy',
  summary: 'Builds and deploys a service from its repository',
  callers: MEMBERS,
  params: serviceParams,
  body: z.object({ environment: environmentSchema, branch: optionalText }),
  back: serviceOf,
  run: async ({ platform, params: { name }, body: { environment, branch } }) => {
    const wanted = { service: name, environment, ...(branch === undefined ? {} : { branch }) };
    const build = await platform.send('builder', 'POST', '/builds/trigger', triggerReplySchema, { body: wanted });
    const notice = build.deduplicated ? 'The same build runs already: here it is.' : 'The deploy has begun.';
    return { to: pathOf('builds', build.buildId), notice };
  },
});

export const removeService = defineAction({
  module: 'services',
  path: '/services/:name/remove',
  summary: 'Removes a service with its workloads, releases and record',
  callers: { 'platform-admin': true, user: 'admin' },
  params: serviceParams,
  body: z.object({ confirm: z.string() }),
  back: serviceOf,
  run: async ({ platform, params: { name } }) => {
    const removed = z.object({ name: z.string(), removingSince: z.iso.datetime().nullish() });
    const { removingSince } = await platform.send('builder', 'DELETE', pathOf('services', name), removed);
    const isUnderWay = removingSince !== undefined && removingSince !== null;
    return { to: '/services', notice: isUnderWay ? `${name} is being removed.` : `${name} is removed.` };
  },
});
