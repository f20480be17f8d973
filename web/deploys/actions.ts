import { z } from 'zod';
import { buildViewSchema, triggerReplySchema } from '../../domain/deploys/schema.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { MEMBERS } from '../members.ts';
import { type ActionDone, defineAction } from '../page.ts';
import { pathOf } from '../platform/platform.ts';
import { buildParams } from './build-page.ts';
import { serviceParams } from './builds-page.ts';

const buildPath = ({ id }: { readonly id: string }): string => pathOf('builds', id);

/** Where whoever started a build is sent. */
function started({ buildId, deduplicated }: z.output<typeof triggerReplySchema>, notice: string): ActionDone {
  return {
    to: pathOf('builds', buildId),
    notice: deduplicated ? 'The same build was under way already: this is it.' : notice,
  };
}

export const cancelBuild = defineAction({
  module: 'deploys',
  path: '/builds/:id/cancel',
  summary: 'Cancels a build',
  callers: MEMBERS,
  params: buildParams,
  back: buildPath,
  run: async ({ platform, params }) => {
    const build = await platform.send('builder', 'POST', `${buildPath(params)}/cancel`, buildViewSchema);
    const notice = isTerminal(build.status)
      ? 'The build is cancelled.'
      : 'The build is being cancelled: it undoes what it has changed.';
    return { to: buildPath(params), notice };
  },
});

export const retryBuild = defineAction({
  module: 'deploys',
  path: '/builds/:id/retry',
  summary: 'Builds the same commit again, from one of its steps on',
  callers: MEMBERS,
  params: buildParams,
  body: z.strictObject({ fromStep: z.string().min(1).max(64) }),
  back: buildPath,
  run: async ({ platform, params, body }) => {
    const reply = await platform.send('builder', 'POST', `${buildPath(params)}/retry`, triggerReplySchema, { body });
    return started(reply, 'The retry has begun.');
  },
});

export const redeployBuild = defineAction({
  module: 'deploys',
  path: '/builds/:id/redeploy',
  summary: 'Deploys what the branch of a build holds now',
  callers: MEMBERS,
  params: buildParams,
  back: buildPath,
  run: async ({ platform, params }) => {
    const { source, serviceId, environment } = await platform.get('builder', buildPath(params), buildViewSchema);
    if (source.kind !== 'git') {
      throw new FairleadError(
        'CONFLICT',
        'This build was made of an uploaded archive: upload the source again to deploy it',
      );
    }
    const body = { service: serviceId, environment, ...(source.branch === null ? {} : { branch: source.branch }) };
    return started(
      await platform.send('builder', 'POST', '/builds/trigger', triggerReplySchema, { body }),
      'The deploy has begun.',
    );
  },
});

export const rollBack = defineAction({
  module: 'deploys',
  path: '/services/:name/rollback',
  summary: 'Installs an earlier release again',
  callers: MEMBERS,
  params: serviceParams,
  body: z.strictObject({ environment: environmentSchema, releaseId: z.string().min(1).max(64) }),
  back: ({ name }) => `${pathOf('services', name)}/releases`,
  run: async ({ platform, params: { name }, body }) => {
    const path = `${pathOf('services', name)}/rollback`;
    return started(
      await platform.send('builder', 'POST', path, triggerReplySchema, { body }),
      'The rollback has begun.',
    );
  },
});
