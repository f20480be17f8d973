import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { registerRelease } from '../../../../activities/deploys/steps/register-release.ts';
import { releaseRecord } from '../../../ports/records.ts';
import { useDeploy } from '../use-deploy.ts';

describe('service-registration', () => {
  it('makes the release the active one and notes the build on the service', async () => {
    const { parts, attempt, build } = await useDeploy({ opened: true });
    for (const id of ['rel_old', 'rel_new']) await parts.releases.put(releaseRecord({ id }));
    await parts.releases.activate('rel_old', { at: parts.now(), epoch: 1, buildId: 'bld_old' });
    parts.advance(1_000);
    assert.deepEqual(await registerRelease(parts, attempt({ releaseId: 'rel_new' })), {});
    const active = await parts.releases.active('hello', 'prod');
    assert.deepEqual([active?.id, active?.activatedAt], ['rel_new', parts.now()]);
    assert.equal((await parts.services.find('hello'))?.lastBuildId, build.buildId);
  });

  it('a second attempt leaves the same release active', async () => {
    const { parts, attempt } = await useDeploy({ opened: true });
    await parts.releases.put(releaseRecord({ id: 'rel_new' }));
    for (const time of ['first', 'second']) {
      await registerRelease(parts, attempt({ releaseId: 'rel_new' }));
      assert.equal((await parts.releases.active('hello', 'prod'))?.id, 'rel_new', time);
      parts.advance(1_000);
    }
    assert.equal((await parts.releases.list('hello', 'prod', { cursor: null, limit: 9 })).items.length, 1);
  });

  it('a release that is gone is RELEASE_NOT_FOUND; without one it is INTERNAL, and nothing is noted', async () => {
    const { parts, attempt } = await useDeploy({ opened: true });
    await assert.rejects(registerRelease(parts, attempt({ releaseId: 'rel_gone' })), { code: 'RELEASE_NOT_FOUND' });
    await assert.rejects(registerRelease(parts, attempt({})), { code: 'INTERNAL', message: /releaseId/ });
    assert.equal((await parts.services.find('hello'))?.lastBuildId, null);
  });

  it('a service that was deleted meanwhile is no error, and is not made anew', async () => {
    const { parts, attempt, build } = await useDeploy({ opened: true });
    await parts.releases.put(releaseRecord({ id: 'rel_new' }));
    await parts.services.remove(build.serviceId);
    await registerRelease(parts, attempt({ releaseId: 'rel_new' }));
    assert.equal(await parts.services.find('hello'), null);
  });
});
