import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkSdkUpgrades } from '../../../../activities/deploys/steps/check-sdk-upgrades.ts';
import { readReleaseNotes } from '../../../../activities/deploys/steps/read-release-notes.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { useDeploy } from '../use-deploy.ts';

const AWAY = new FairleadError('UNAVAILABLE', 'The service registry cannot be reached.', {
  system: 'registry',
  retryable: true,
});

/** A service whose last deploy to prod had version 1.0.0 of two packages. */
async function useUpgrade() {
  const deploy = await useDeploy({ opened: true });
  const { parts } = deploy;
  const registry = parts.serviceRegistry;
  await registry.declare({ id: 'svc_hello', name: 'hello', org: 'acme', serviceSince: parts.now() });
  const key = { buildId: 'bld_before', serviceId: 'svc_hello', environment: 'prod' } as const;
  const sdkVersions = { '@fairlead/sdk': '1.0.0', 'plain-sdk': '1.0.0' };
  await registry.putManifest(key, { commit: 'c0ffee', sdkVersions, deployedBy: 'usr_ada' });
  const publish = (name: string, version: string) =>
    registry.stores.packages.publish({
      ...{ package: name, version, notes: '- new', publishedBy: 'internal', publishedAt: parts.now() },
    });
  return { ...deploy, publish };
}

describe('sdk-upgrade-gate', () => {
  it('lets an upgrade pass that the registry documents, and what is no upgrade', async () => {
    const { parts, attempt, publish } = await useUpgrade();
    await publish('@fairlead/sdk', '1.1.0');
    const cases = [
      { '@fairlead/sdk': '1.1.0', 'plain-sdk': '1.0.0' },
      { '@fairlead/sdk': '0.9.0', 'new-sdk': '7.0.0' },
      {},
    ];
    for (const sdkVersions of cases) {
      const step = attempt({ sdkVersions });
      assert.deepEqual(await checkSdkUpgrades(parts, step), {});
      assert.deepEqual(step.warnings, []);
    }
  });

  it('stops an upgrade that is not documented, and names all of them', async () => {
    const { parts, attempt, publish } = await useUpgrade();
    await publish('@fairlead/sdk', '1.1.0');
    const sdkVersions = { '@fairlead/sdk': '1.2.0', 'plain-sdk': '1.0.1' };
    await assert.rejects(checkSdkUpgrades(parts, attempt({ sdkVersions })), {
      code: 'UNDOCUMENTED_UPGRADE',
      message: /^Undocumented upgrade: the registry has no changelog of @fairlead\/sdk@1\.2\.0, plain-sdk@1\.0\.1\./,
      details: { packages: ['@fairlead/sdk@1.2.0', 'plain-sdk@1.0.1'] },
    });
  });

  it('compares with the same environment: a first deploy to another one is no upgrade', async () => {
    const { parts, attempt } = await useUpgrade();
    const step = attempt({ sdkVersions: { '@fairlead/sdk': '9.0.0' } });
    assert.deepEqual(await checkSdkUpgrades(parts, { ...step, build: { ...step.build, environment: 'uat' } }), {});
  });

  it('what names no version is a warning', async () => {
    const { parts, attempt } = await useUpgrade();
    const step = attempt({ sdkVersions: { '@fairlead/sdk': 'latest' } });
    assert.deepEqual(await checkSdkUpgrades(parts, step), {});
    assert.match(step.warnings.join(), /is latest now, which names no version/);
  });

  it('a registry that is away, at either question, is told as the system registry', async () => {
    const { parts, attempt } = await useUpgrade();
    for (const question of ['lastManifest', 'findPackageChangelog'] as const) {
      const serviceRegistry = { ...parts.serviceRegistry, [question]: () => Promise.reject(AWAY) };
      const step = attempt({ sdkVersions: { '@fairlead/sdk': '1.2.0' } });
      await assert.rejects(checkSdkUpgrades({ ...parts, serviceRegistry }, step), (error) => error === AWAY);
    }
  });

  it('a service without packages of the SDK does not ask the registry', async () => {
    const { parts, attempt } = await useUpgrade();
    const serviceRegistry = { ...parts.serviceRegistry, lastManifest: () => Promise.reject(AWAY) };
    assert.deepEqual(await checkSdkUpgrades({ ...parts, serviceRegistry }, attempt({ sdkVersions: {} })), {});
  });
});

describe('release-notes', () => {
  it('reads the notes at the root of the repository and the versions of the app', async () => {
    const { parts, attempt, plant } = await useDeploy();
    plant('CHANGELOG.md', '## 2.0.0\n- new');
    plant('app/CHANGELOG.md', '## 9.0.0\n- of the app');
    plant('app/package.json', '{"dependencies":{"@fairlead/sdk":"^1.0.0"}}');
    plant('app/package-lock.json', '{"packages":{"node_modules/@fairlead/sdk":{"version":"1.3.0"}}}');
    assert.deepEqual(await readReleaseNotes(parts, attempt({ appPath: 'app' })), {
      releaseNotes: { notes: '- new', version: '2.0.0' },
      sdkVersions: { '@fairlead/sdk': '1.3.0' },
    });
  });

  it('takes what is not there, and what is too large, as absent', async () => {
    const { parts, attempt, plant } = await useDeploy();
    const nothing = { releaseNotes: null, sdkVersions: {} };
    assert.deepEqual(await readReleaseNotes(parts, attempt({ appPath: '' })), nothing);
    plant('CHANGELOG.md', `## 1.0.0\n${'x'.repeat(1024 ** 2)}`);
    const step = attempt({ appPath: '' });
    assert.deepEqual(await readReleaseNotes(parts, step), nothing);
    assert.match(step.warnings.join(), /CHANGELOG\.md is larger than .* It is taken as absent/);
  });
});
