import assert from 'node:assert/strict';
import { test } from 'node:test';
import { effectivePaths, parsePlatformConfig } from '../../../domain/catalog/parse-platform-config.ts';
import { FairleadError } from '../../../domain/errors.ts';

const none = { appPath: null, dockerfile: null, buildContext: null, helmChart: null };

test('every field is read, and what is missing is null', () => {
  assert.deepEqual(parsePlatformConfig('appPath: apps/web\nother: 1\n'), { ...none, appPath: 'apps/web' });
  assert.deepEqual(parsePlatformConfig('appPath: a\ndockerfile: b/Dockerfile\nbuildContext: .\nhelmChart: chart\n'), {
    appPath: 'a',
    dockerfile: 'b/Dockerfile',
    buildContext: '.',
    helmChart: 'chart',
  });
});

const BROKEN: readonly (readonly [string, RegExp])[] = [
  ['', /the file is empty/],
  ['- a\n', /expected a mapping with appPath/],
  ['appPath: 5\n', /1:10: appPath: expected a relative path.*found 5/],
  ['appPath: ""\n', /appPath: expected/],
  ['appPath: /etc\n', /found "\/etc"/],
  ['appPath: ../up\n', /found "\.\.\/up"/],
  ['appPath: a/../../b\n', /appPath: expected/],
  ['appPath: C:/x\n', /appPath: expected/],
  ["appPath: 'a\\b'\n", /appPath: expected/],
  ['dockerfile: /Dockerfile\n', /dockerfile: expected/],
  ['buildContext: ../..\n', /buildContext: expected/],
  ['helmChart: [a]\n', /helmChart: expected.*found a list of 1/],
  ['appPath: a\nappPath: b\n', /2:1: the key appPath stands here more than once/],
  ['appPath: {\n', /not valid YAML/],
];

for (const [text, expected] of BROKEN) {
  test(`refused: ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => parsePlatformConfig(text),
      (error) => {
        assert.ok(error instanceof FairleadError && error.code === 'PLATFORM_CONFIG_INVALID');
        assert.match(error.message, /^\.platform\.yaml:\d+:\d+: /);
        assert.match(error.message, expected);
        return true;
      },
    );
  });
}

const record = (appPath: string | null, dockerfilePath: string | null) => ({ appPath, dockerfilePath });

test('the service record goes before the file, and the file before the container file', () => {
  const platformConfig = { ...none, appPath: 'from-file' };
  const pathOf = (facts: Parameters<typeof effectivePaths>[0]) => effectivePaths(facts).appPath;
  assert.equal(pathOf({ serviceRecord: record('from-record', 'x/Dockerfile'), platformConfig }), 'from-record');
  assert.equal(pathOf({ serviceRecord: record(null, 'x/Dockerfile'), platformConfig }), 'from-file');
  assert.equal(pathOf({ serviceRecord: record(null, 'x/y/Dockerfile'), platformConfig: null }), 'x/y');
  assert.equal(pathOf({ serviceRecord: record(null, null), platformConfig: null }), '');
});

test('the default container file is no choice, another one is', () => {
  const fileOf = (dockerfilePath: string | null, dockerfile: string | null) =>
    effectivePaths({ serviceRecord: record(null, dockerfilePath), platformConfig: { ...none, dockerfile } }).dockerfile;
  assert.equal(fileOf('Dockerfile', null), null);
  assert.equal(fileOf('./Dockerfile', 'b/Dockerfile'), 'b/Dockerfile');
  assert.equal(fileOf('a/Dockerfile', 'b/Dockerfile'), 'a/Dockerfile');
});

test('the build context is relative to the app', () => {
  const facts = { serviceRecord: record('./apps/web/', null), platformConfig: { ...none, buildContext: './src' } };
  assert.deepEqual(effectivePaths(facts), { appPath: 'apps/web', dockerfile: null, contextPath: 'apps/web/src' });
});

test('a service record cannot lead outside either', () => {
  assert.throws(
    () => effectivePaths({ serviceRecord: record('../x', null), platformConfig: null }),
    (error) => error instanceof FairleadError && error.code === 'PLATFORM_CONFIG_INVALID',
  );
});
