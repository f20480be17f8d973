import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readManifest } from '../../../domain/catalog/read-manifest.ts';
import { sdkUpgrades, sdkVersions } from '../../../domain/deploys/sdk-packages.ts';

const NAMED = ['@fairlead/', 'plain-sdk'];
const manifest = (dependencies: object) => readManifest(JSON.stringify({ dependencies }), []);
const lock = (packages: object) => JSON.stringify({ lockfileVersion: 3, packages });

describe('packages of the SDK', () => {
  it('are those of a named scope or name, and no others that look like them', () => {
    const all = { '@fairlead/sdk': '1.0.0', 'plain-sdk': '2.0.0', 'plain-sdk-x': '1.0.0', '@fairlead-x/sdk': '1.0.0' };
    assert.deepEqual(sdkVersions(manifest(all), null, NAMED), { '@fairlead/sdk': '1.0.0', 'plain-sdk': '2.0.0' });
  });

  const versions: readonly [name: string, asked: string, locked: string | null, found: string][] = [
    ['what the lock file installs', '^1.0.0', lock({ 'node_modules/plain-sdk': { version: '1.4.2' } }), '1.4.2'],
    ['what is asked for without a lock file', '^1.0.0', null, '1.0.0'],
    ['what is asked for where the lock file has another package', '~1.2.3', lock({}), '1.2.3'],
    ['what is asked for where the lock file is none', '>=2.0.0-rc.1', '{"packages":', '2.0.0-rc.1'],
    ['what is asked for where the lock file lies', 'v1.0.0', lock({ 'node_modules/plain-sdk': 7 }), '1.0.0'],
    ['any where none is asked for', '', lock({ 'node_modules/plain-sdk': { version: '' } }), '*'],
    ['a tag as it is', 'latest', null, 'latest'],
    ['an address as it is', 'git+https://x.example/a.git', null, 'git+https://x.example/a.git'],
  ];
  for (const [name, asked, locked, found] of versions) {
    it(`have as version ${name}`, () => {
      assert.deepEqual(sdkVersions(manifest({ 'plain-sdk': asked }), locked, NAMED), { 'plain-sdk': found });
    });
  }

  it('are none whose name the registry would not take, however long it is', () => {
    const names = [`@fairlead/${'a'.repeat(900_000)}`, '@fairlead/Sdk', '@fairlead/a b', '@fairlead/'];
    const dependencies = Object.fromEntries(names.map((name) => [name, '1.0.0']));
    assert.deepEqual(sdkVersions(manifest({ ...dependencies, '@fairlead/sdk': '1.0.0' }), null, NAMED), {
      '@fairlead/sdk': '1.0.0',
    });
  });

  it('of an app without a manifest are none', () => {
    assert.deepEqual(sdkVersions(readManifest(null, []), null, NAMED), {});
  });

  const upgrades: readonly [name: string, before: string | null, now: string, isUpgrade: boolean][] = [
    ['a later version', '1.2.0', '1.10.0', true],
    ['a release after its prerelease', '1.0.0-rc.1', '1.0.0', true],
    ['the same version', '1.2.0', '1.2.0', false],
    ['an earlier version', '1.2.0', '1.1.0', false],
    ['a package that is new', null, '1.0.0', false],
    ['what names no version any more', '1.2.0', 'latest', true],
    ['what names a version again', 'latest', '1.0.0', true],
  ];
  for (const [name, before, now, isUpgrade] of upgrades) {
    it(`${isUpgrade ? 'count' : 'do not count'} ${name} as an upgrade`, () => {
      const found = sdkUpgrades(before === null ? {} : { 'plain-sdk': before }, { 'plain-sdk': now });
      assert.deepEqual(found, isUpgrade ? [{ package: 'plain-sdk', from: before, to: now }] : []);
    });
  }
});
