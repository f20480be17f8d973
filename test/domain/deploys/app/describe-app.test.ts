import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Declared, describeApp } from '../../../../domain/deploys/app/describe-app.ts';

/** The description of an app with this manifest, beside files that are empty or have a text. */
function describe(manifest: object, declared: Partial<Declared> = {}, files: Readonly<Record<string, string>> = {}) {
  const texts = { 'package.json': JSON.stringify(manifest), ...files };
  const paths = ['package-lock.json', ...Object.keys(texts)];
  const rest = { framework: 'express', port: null, healthEndpoint: '/health', ...declared } as const;
  return describeApp({ files: paths, texts }, rest);
}

it('names framework, version, install, build and start, each with its reason', () => {
  const app = describe({
    engines: { node: '22' },
    scripts: { build: 'tsc', start: 'node dist/main.js' },
    dependencies: { express: '^5.1.0' },
  });
  assert.deepEqual([app.framework, app.frameworkVersion, app.manager.name], ['express', '^5.1.0', 'npm']);
  assert.match(app.nodeImage.reason, /engines\.node in package\.json is "22"/);
  assert.match(app.install?.reason ?? '', /package-lock\.json/);
  assert.deepEqual(app.build, { value: 'npm run build', reason: 'package.json has a build script' });
  assert.deepEqual(app.start, { value: ['node', 'dist/main.js'], reason: 'package.json has a start script' });
  assert.deepEqual([app.port.value, app.output], [3000, null]);
  assert.equal(
    describe({ scripts: { start: 'node a.js' } }, { port: 8081 }).port.reason,
    'platform.io/port declares it',
  );
});

it('a site without a build installs nothing and is served from the usual folders', () => {
  const app = describe({}, { framework: 'static' });
  assert.deepEqual([app.install, app.build, app.start], [null, null, null]);
  assert.deepEqual(app.output?.value, ['public', 'dist', '.']);
});
