import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { planFiles } from '../../cli/plan-files.ts';
import { planBodySchema } from '../../domain/deploys/plan-schema.ts';

const NOTHING = { appPath: null, dockerfilePath: null };

describe('what the planner is sent of a folder', () => {
  let folder: string;
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const planned = async (record: typeof NOTHING | { appPath: string; dockerfilePath: string | null } = NOTHING) =>
    planBodySchema.parse(await planFiles(folder, record));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fairlead-plan-files-'));
    write('package.json', '{"name":"root"}');
    write('apps/web/package.json', '{"name":"web"}');
    write('apps/web/catalog-info.yaml', 'metadata: {name: web}');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is the app that .platform.yaml names, with that file', async () => {
    write('.platform.yaml', 'appPath: apps/web\n');
    const { manifest, catalog, platformConfig } = await planned();
    assert.deepEqual(
      [manifest, catalog, platformConfig],
      ['{"name":"web"}', 'metadata: {name: web}', 'appPath: apps/web\n'],
    );
  });

  it('is the app that the service record names, though .platform.yaml names another', async () => {
    write('.platform.yaml', 'appPath: apps/other\n');
    assert.equal((await planned({ appPath: 'apps/web', dockerfilePath: null })).manifest, '{"name":"web"}');
  });

  it('has the .platform.yaml of the app of the record where the root has none', async () => {
    write('apps/web/.platform.yaml', 'dockerfile: ops/Dockerfile\n');
    const sent = await planned({ appPath: 'apps/web', dockerfilePath: null });
    assert.equal(sent.platformConfig, 'dockerfile: ops/Dockerfile\n');
  });

  it('says of a container file that is named whether it is there', async () => {
    write('.platform.yaml', 'dockerfile: ops/Dockerfile\nappPath: apps/web\n');
    assert.deepEqual((await planned()).containerFiles, []);
    write('ops/Dockerfile', 'FROM scratch\n');
    assert.deepEqual((await planned()).containerFiles, ['ops/Dockerfile']);
  });

  it('has the build context of .platform.yaml below the app', async () => {
    write('apps/web/server/package.json', '{"name":"server"}');
    write('.platform.yaml', 'appPath: apps/web\nbuildContext: server\n');
    const { manifest, catalog } = await planned();
    assert.deepEqual([manifest, catalog], ['{"name":"server"}', 'metadata: {name: web}']);
  });

  it('has of a lockfile what the rules of a build read of it, and no more', async () => {
    const other = (index: number) =>
      `other-${index}@^1.0.0:\n  version "1.0.0"\n  resolved "https://r.example/other"\n\n`;
    const others = Array.from({ length: 3_000 }, (_, index) => other(index)).join('');
    write(
      'yarn.lock',
      `# yarn lockfile v1\n\n${others}sharp@^1.0.0:\n  version "1.0.0"\n\nsqlite3@^5.0.0:\n  version "5.1.7"\n`,
    );
    const lock = (await planned()).texts?.['yarn.lock'] ?? '';
    assert.match(lock, /^# yarn lockfile v1$[\s\S]*^sqlite3@\^5\.0\.0:\n {2}version "5\.1\.7"$/m);
    assert.ok(lock.length < 5_000, `${lock.length}`);
  });

  it('has of a monorepo the variables that the settings of its package manager name', async () => {
    write('package.json', '{"name":"root","workspaces":["apps/*"]}');
    write('.npmrc', `//npm.example.org/:_authToken=\${NPM_TOKEN}\n`);
    const { monorepo } = await planned({ appPath: 'apps/web', dockerfilePath: null });
    assert.deepEqual(monorepo?.registryVariables, ['NPM_TOKEN']);
  });

  it('is told of a .platform.yaml that cannot be read, as a build would be', async () => {
    write('.platform.yaml', 'appPath: ../elsewhere\n');
    const { manifest, platformConfig } = await planned();
    assert.deepEqual([manifest, platformConfig], ['{"name":"root"}', 'appPath: ../elsewhere\n']);
  });
});
