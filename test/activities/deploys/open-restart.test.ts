import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openRestart } from '../../../activities/deploys/open-restart.ts';
import type { Release } from '../../../domain/deploys/release.ts';
import type { RestartRequest } from '../../../domain/deploys/restart.ts';
import { buildRecord, releaseRecord } from '../../ports/records.ts';
import { useDeploy } from './use-deploy.ts';

const RESTART: RestartRequest = {
  ...{ service: 'hello', environment: 'prod', serviceId: 'svc_hello', buildId: 'bld_restart', installedBefore: 5_000 },
  ...{ requestedBy: 'schedule', requestId: 'req_night', requestedAt: '2026-02-01T00:30:00.000Z' },
};

/** A service whose release `rel_active` serves since epoch 3000. */
async function serving(changes: Partial<Release> = {}) {
  const { parts } = await useDeploy();
  const source = { kind: 'archive', archiveId: 'arc_1', sha256: 'a'.repeat(64) } as const;
  await parts.builds.create(buildRecord({ id: 'bld_made', source }));
  await parts.releases.put(releaseRecord({ id: 'rel_active', buildId: 'bld_made', ...changes }));
  await parts.releases.activate('rel_active', { at: new Date(), epoch: 3_000, buildId: 'bld_made' });
  return parts;
}

describe('opening a restart', () => {
  it('records a build of the release that serves, for the owner; opened again it is the same', async () => {
    const parts = await serving();
    const opened = await openRestart(parts, RESTART);
    assert.ok(opened.kind === 'opened');
    const { kind, releaseId, org, source, requestedBy } = opened.request;
    assert.deepEqual(
      [kind, releaseId, org, source.kind, requestedBy],
      ['restart', 'rel_active', 'acme', 'archive', 'schedule'],
    );
    assert.equal(opened.plan[0]?.stage, 'deploying');
    const record = await parts.builds.find('bld_restart');
    assert.deepEqual([record?.kind, record?.status], ['restart', 'queued']);
    assert.deepEqual(await openRestart(parts, RESTART), opened);
  });

  it('has nothing to run after its end', async () => {
    const parts = await serving();
    await openRestart(parts, RESTART);
    const end = { status: 'failed', reason: 'cancelled', failure: null, supersededBy: null } as const;
    await parts.builds.finish('bld_restart', { ...end, finishedAt: new Date() });
    assert.deepEqual(await openRestart(parts, RESTART), { kind: 'ended' });
  });

  const NOT_NEEDED: readonly [what: string, restart: Partial<RestartRequest>][] = [
    ['installed since the mark', { installedBefore: 3_000 }],
    ['of another service that has its name now', { serviceId: 'svc_earlier' }],
    ['of an environment where nothing serves', { environment: 'uat' }],
  ];
  for (const [what, restart] of NOT_NEEDED) {
    it(`restarts nothing ${what}`, async () => {
      const parts = await serving();
      assert.deepEqual(await openRestart(parts, { ...RESTART, ...restart }), { kind: 'not needed' });
      assert.equal(await parts.builds.find('bld_restart'), null);
    });
  }

  it('restarts nothing of a service that is being removed', async () => {
    const parts = await serving();
    await parts.services.setRemoving('svc_hello', true);
    assert.deepEqual(await openRestart(parts, RESTART), { kind: 'not needed' });
  });
});
