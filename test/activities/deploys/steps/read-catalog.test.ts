import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readCatalog } from '../../../../activities/deploys/steps/read-catalog.ts';
import { type Given, useDeploy } from '../use-deploy.ts';

const EXPRESS = JSON.stringify({ name: 'hello', dependencies: { express: '5.0.0' } });

const catalogFile = (name: string, annotations: readonly string[] = [], spec = 'spec: {}') =>
  [
    'metadata:',
    `  name: ${name}`,
    '  annotations:',
    '    platform.io/catalog-version: 0.6.0',
    ...annotations.map((line) => `    platform.io/${line}`),
    spec,
    '',
  ].join('\n');

/** A build whose source has these files. */
async function withFiles(files: Readonly<Record<string, string>>, given: Given = {}) {
  const deploy = await useDeploy(given);
  for (const [path, text] of Object.entries(files)) deploy.plant(path, text);
  return deploy;
}

describe('read-catalog', () => {
  it('reads the catalog, and fills in what it leaves open from the manifest', async () => {
    const { parts, attempt } = await withFiles({
      'catalog-info.yaml': catalogFile('hello', ['port: "8080"']),
      'package.json': EXPRESS,
    });
    const step = attempt();
    const { catalog, ...paths } = await readCatalog(parts, step);
    assert.deepEqual(paths, { appPath: '', contextPath: '', dockerfile: null });
    assert.deepEqual(
      [catalog?.name, catalog?.declared, catalog?.framework, catalog?.port, catalog?.healthEndpoint],
      ['hello', true, 'express', 8080, '/health'],
    );
    assert.deepEqual(step.warnings, []);
  });

  it('infers a catalog that is missing, and says that it is a guess', async () => {
    for (const [files, framework] of [
      [{ 'package.json': EXPRESS }, 'express'],
      [{ 'public/index.html': '<p>' }, 'static'],
      [{ 'dist/index.html': '<p>' }, 'static'],
      [{ 'main.py': 'print()' }, null],
    ] as const) {
      const { parts, attempt } = await withFiles(files);
      const step = attempt();
      const { catalog } = await readCatalog(parts, step);
      assert.deepEqual([catalog?.declared, catalog?.framework], [false, framework]);
      assert.match(step.warnings.join('\n'), /there is no catalog-info\.yaml/);
    }
  });

  it('looks in the app path of the service record, which goes before that of .platform.yaml', async () => {
    const files = {
      'apps/web/catalog-info.yaml': catalogFile('hello', ['dockerfile: docker/Dockerfile']),
      'apps/web/package.json': EXPRESS,
      '.platform.yaml': 'appPath: apps/other\nbuildContext: build\n',
    };
    const { parts, attempt } = await withFiles(files, { service: { appPath: 'apps/web' } });
    const { catalog, ...paths } = await readCatalog(parts, attempt());
    assert.equal(catalog?.declared, true);
    assert.deepEqual(paths, {
      appPath: 'apps/web',
      contextPath: 'apps/web/build',
      dockerfile: 'apps/web/docker/Dockerfile',
    });
  });

  it('finds .platform.yaml in the app path when there is none in the root', async () => {
    const files = { 'apps/web/.platform.yaml': 'buildContext: build\n', 'apps/web/package.json': EXPRESS };
    const { parts, attempt } = await withFiles(files, { service: { appPath: 'apps/web' } });
    assert.equal((await readCatalog(parts, attempt())).contextPath, 'apps/web/build');
  });

  it('uses the container file that the service record names', async () => {
    const { parts, attempt } = await withFiles(
      { 'package.json': EXPRESS },
      { service: { dockerfilePath: 'ops/Dockerfile' } },
    );
    assert.equal((await readCatalog(parts, attempt())).dockerfile, 'ops/Dockerfile');
  });

  it('a file that says nothing sensible ends the build with its code and place', async () => {
    for (const [files, code, message] of [
      [{ 'catalog-info.yaml': 'metadata: [' }, 'CATALOG_INVALID', /catalog-info\.yaml/],
      [{ 'catalog-info.yaml': catalogFile('other') }, 'CATALOG_INVALID', /names the service other.*for hello/],
      [{ '.platform.yaml': 'appPath: 7\n' }, 'PLATFORM_CONFIG_INVALID', /appPath/],
      [{ '.platform.yaml': 'appPath: ../up\n' }, 'PLATFORM_CONFIG_INVALID', /appPath/],
      [{ 'catalog-info.yaml': `#${' '.repeat(70_000)}` }, 'SOURCE_REFUSED', /larger than/],
      [{ 'package.json/file': '{}' }, 'SOURCE_REFUSED', /not a file/],
    ] as const) {
      const { parts, attempt } = await withFiles(files);
      await assert.rejects(readCatalog(parts, attempt()), { code, message, retryable: false }, String(message));
    }
  });

  it('a link of the repository that leads out of it is refused', async () => {
    const { parts, attempt, build } = await withFiles({ 'package.json': EXPRESS });
    const source = parts.workspace.directory(build.buildId);
    parts.files.put('/etc/catalog.yaml', { kind: 'file', text: catalogFile('hello'), mode: 0o644 });
    parts.files.put(`${source}/catalog-info.yaml`, { kind: 'link', target: '/etc/catalog.yaml' });
    await assert.rejects(readCatalog(parts, attempt()), { code: 'SOURCE_REFUSED' });
  });

  it('an old version of the format is a warning, or an error where that is enforced', async () => {
    const text = catalogFile('hello').replace('0.6.0', '0.1.0');
    const lenient = await withFiles({ 'catalog-info.yaml': text, 'package.json': EXPRESS });
    const step = lenient.attempt();
    await readCatalog(lenient.parts, step);
    assert.match(step.warnings.join('\n'), /catalog version 0\.1\.0 is older/);
    const strict = await withFiles({ 'catalog-info.yaml': text }, { settings: { enforceMinimumCatalogVersion: true } });
    await assert.rejects(readCatalog(strict.parts, strict.attempt()), { code: 'CATALOG_VERSION_UNSUPPORTED' });
  });

  it('reads the same a second time, and a service that was deleted meanwhile is SERVICE_NOT_FOUND', async () => {
    const { parts, attempt, build } = await withFiles({ 'package.json': EXPRESS });
    assert.deepEqual(await readCatalog(parts, attempt()), await readCatalog(parts, attempt()));
    await parts.services.remove(build.serviceId);
    await assert.rejects(readCatalog(parts, attempt()), { code: 'SERVICE_NOT_FOUND' });
  });
});
