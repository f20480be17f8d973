import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storeSnapshot } from '../../../../activities/deploys/steps/store-snapshot.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { releaseRecord } from '../../../ports/records.ts';
import { useDeploy } from '../use-deploy.ts';

const TARGET = { serviceId: 'svc_hello', environment: 'prod' } as const;
const SECRET = 'canary-4711';

async function useRelease() {
  const deploy = await useDeploy({ opened: true });
  const { parts } = deploy;
  const owner = { service: 'hello', environment: 'prod', key: 'API_KEY' } as const;
  const release = releaseRecord({
    ...{ id: 'rel_1', service: 'hello', serviceId: 'svc_hello', commitSha: 'c0ffee', port: 4000 },
    config: { ZONE: 'value-of-zone', COLOUR: 'value-of-colour' },
    secrets: { API_KEY: parts.cipher.seal(SECRET, owner) },
  });
  await parts.releases.put(release);
  const stored = () => parts.serviceRegistry.stores.deploys.list(TARGET, { cursor: null, limit: 5 });
  return { ...deploy, release, stored };
}

describe('snapshot', () => {
  it('keeps what was installed, and of variables the names alone', async () => {
    const { parts, attempt, build, release, stored } = await useRelease();
    assert.deepEqual(await storeSnapshot(parts, attempt({ releaseId: 'rel_1' })), {});
    const { items } = await stored();
    assert.deepEqual(
      items.map(({ buildId, snapshot }) => [buildId, snapshot]),
      [
        [
          build.buildId,
          {
            ...{ releaseId: 'rel_1', commit: 'c0ffee', imageDigest: release.imageDigest, port: 4000 },
            ...{ podTier: release.podTier, healthEndpoint: release.healthEndpoint },
            config: ['COLOUR', 'ZONE'],
            secrets: ['API_KEY'],
          },
        ],
      ],
    );
    const text = JSON.stringify(items);
    for (const value of [SECRET, 'value-of-zone', release.secrets.API_KEY?.sealed ?? '?']) {
      assert.ok(!text.includes(value), value);
    }
  });

  it('a second attempt keeps the first snapshot', async () => {
    const { parts, attempt, stored } = await useRelease();
    await storeSnapshot(parts, attempt({ releaseId: 'rel_1' }));
    const first = await stored();
    parts.advance(60_000);
    await storeSnapshot(parts, attempt({ releaseId: 'rel_1' }));
    assert.deepEqual(await stored(), first);
  });

  it('a registry that is away is told as the system registry, and a release that is gone as such', async () => {
    const { parts, attempt } = await useRelease();
    const away = new FairleadError('UNAVAILABLE', 'away', { system: 'registry', retryable: true });
    const serviceRegistry = { ...parts.serviceRegistry, putSnapshot: () => Promise.reject(away) };
    const step = () => attempt({ releaseId: 'rel_1' });
    await assert.rejects(storeSnapshot({ ...parts, serviceRegistry }, step()), (error) => error === away);
    await assert.rejects(storeSnapshot(parts, attempt({ releaseId: 'rel_gone' })), { code: 'RELEASE_NOT_FOUND' });
  });
});
