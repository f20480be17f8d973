import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readManifest } from '../../../../domain/catalog/read-manifest.ts';
import { detectPackageManager } from '../../../../domain/deploys/container-file/detect-package-manager.ts';
import { managerCommands } from '../../../../domain/deploys/container-file/manager-commands.ts';

interface Given {
  readonly lock: string;
  readonly manifest?: object;
  readonly files?: readonly string[];
  readonly settings?: string;
}

/** The yarn of an app, and how it installs all. */
function yarnOf({ lock, manifest = {}, files = [], settings }: Given) {
  const texts = { 'yarn.lock': lock, ...(settings === undefined ? {} : { '.yarnrc.yml': settings }) };
  const source = { files: ['package.json', ...Object.keys(texts), ...files], texts };
  const manager = detectPackageManager(readManifest(JSON.stringify(manifest), []), source, []);
  return { version: manager.version, install: managerCommands(manager, null, false).installAll };
}

const lockOf = (format: number | string): string =>
  `# made by yarn\n\n__metadata:\n  version: ${format}\n  cacheKey: 8\n`;

describe('the yarn of a lockfile', () => {
  it('is the newest that writes lockfiles of its format, since no other installs one that it is held to', () => {
    const rows: readonly (readonly [number, string])[] = [
      [4, '2.4.2'],
      [5, '3.1.1'],
      [6, '3.8.7'],
      [8, '4.10.3'],
      [9, '4.14.1'],
      [10, '4.18.1'],
    ];
    for (const [format, version] of rows) {
      assert.deepEqual(yarnOf({ lock: lockOf(format) }), { version, install: 'yarn install --immutable' });
    }
  });

  it('is the newest that is known for a format of later, and the usual one for one that cannot be read', () => {
    assert.equal(yarnOf({ lock: lockOf(12) }).version, '4.18.1');
    assert.equal(yarnOf({ lock: lockOf('x') }).version, '4.10.3');
  });

  it('is the one that packageManager names, whatever the format is', () => {
    const manifest = { packageManager: 'yarn@3.2.1' };
    assert.equal(yarnOf({ lock: lockOf(8), manifest }).version, '3.2.1');
  });

  it('is the one in the repository, and one of its version where git left it out', () => {
    const settings = 'yarnPath: .yarn/releases/yarn-3.6.4.cjs\n';
    const there = ['.yarn', '.yarn/releases/yarn-3.6.4.cjs'];
    assert.equal(yarnOf({ lock: lockOf(6), settings, files: there }).version, null);
    assert.equal(yarnOf({ lock: lockOf(6), settings }).version, '3.6.4');
  });
});

describe('a lockfile with patches of a yarn that nothing names', () => {
  const lock = `${lockOf(6)}
"fsevents@npm:^2.3.2":
  version: 2.3.2
"fsevents@patch:fsevents@^2.3.2#~builtin<compat/fsevents>":
  resolution: "fsevents@patch:fsevents@npm%3A2.3.2#~builtin<compat/fsevents>::version=2.3.2&hash=18f3a7"
`;

  it('may be written anew, since its patches differ from version to version', () => {
    assert.match(yarnOf({ lock, manifest: { dependencies: { fsevents: '^2.3.2' } } }).install, /--no-immutable$/);
  });

  it('is held to where it lacks what package.json asks for, so that this is told', () => {
    const manifest = { dependencies: { fsevents: '^2.3.2', express: '^5.0.0' } };
    assert.match(yarnOf({ lock, manifest }).install, / --immutable$/);
  });

  it('is held to where the version is named', () => {
    const manifest = { packageManager: 'yarn@3.2.4', dependencies: { fsevents: '^2.3.2' } };
    assert.match(yarnOf({ lock, manifest }).install, / --immutable$/);
  });
});

describe('the bun of an app', () => {
  const bunOf = (packageManager: string) => {
    const warnings: string[] = [];
    const source = { files: ['package.json', 'bun.lock'], texts: {} };
    const { version } = detectPackageManager(readManifest(JSON.stringify({ packageManager }), []), source, warnings);
    return { version, warnings };
  };

  it('is the one that packageManager names', () => {
    assert.deepEqual(bunOf('bun@1.2.14'), { version: '1.2.14', warnings: [] });
  });

  it('is a later one where that one waits without end for a proxy, with a warning', () => {
    for (const old of ['1.2.13', '1.1.30', '0.8.1']) {
      const { version, warnings } = bunOf(`bun@${old}`);
      assert.match(version ?? '', /^1\.3\./);
      assert.match(warnings.join(), /by way of a proxy.*1\.2\.14/);
    }
  });
});

describe('a version that no package manager can have', () => {
  const impossible = [
    '01.2.14',
    '1.2.3-01',
    '1.2.3-a..b',
    '1.2.3-a_b',
    '99999999999999999999.0.0',
    `1.0.0-${'a'.repeat(300)}`,
  ];
  const detect = (packageManager: string, declared: string | null, files: readonly string[]) => {
    const warnings: string[] = [];
    const manifest = readManifest(JSON.stringify({ packageManager }), []);
    const { version } = detectPackageManager(manifest, { files, texts: {} }, warnings, declared);
    return { version, warnings };
  };

  for (const [name, lock] of [
    ['bun', 'bun.lock'],
    ['pnpm', 'pnpm-lock.yaml'],
    ['yarn', 'yarn.lock'],
    ['npm', 'package-lock.json'],
  ] as const) {
    it(`is ignored with a warning, in package.json and in the catalog: ${name}`, () => {
      const usual = detect(name, null, [lock]).version;
      for (const stated of impossible.map((version) => `${name}@${version}`)) {
        for (const { version, warnings } of [detect(stated, null, [lock]), detect('npm', stated, [lock])]) {
          assert.equal(version, usual, stated);
          assert.match(
            warnings.join(),
            new RegExp(`^${name}@.{1,100} is no version of a package manager; it is ignored$`),
          );
          assert.ok(warnings.join().length < 200);
        }
      }
    });
  }

  it('is none of yarn that settings can name', () => {
    const settings = 'yarnPath: .yarn/releases/yarn-03.6.4.cjs\n';
    assert.equal(yarnOf({ lock: lockOf(6), settings }).version, null);
  });
});

describe('install scripts of packages that pnpm installs', () => {
  const runsAll = (manifest: object, workspace = '', declared: string | null = null) => {
    const texts = { 'package.json': JSON.stringify(manifest), 'pnpm-workspace.yaml': workspace };
    const source = { files: ['package.json', 'pnpm-lock.yaml'], texts };
    return detectPackageManager(readManifest(texts['package.json'], []), source, [], declared).runsAllScripts;
  };

  it('run where nothing tells that the author has a pnpm which asks', () => {
    assert.equal(runsAll({}), true);
    assert.equal(runsAll({}, 'packages: [apps/*]\n'), true);
  });

  it('are left to the settings where there are some, and to the version that is named', () => {
    assert.equal(runsAll({ pnpm: { onlyBuiltDependencies: ['esbuild'] } }), false);
    assert.equal(runsAll({}, 'onlyBuiltDependencies: [esbuild]\n'), false);
    assert.equal(runsAll({}, 'allowBuilds: {esbuild: true}\n'), false);
    assert.equal(runsAll({ packageManager: 'pnpm@10.2.0' }), false);
    assert.equal(runsAll({}, '', 'pnpm@9.1.0'), false);
  });

  it('are run by a pnpm that knows the setting which allows them', () => {
    const versionOf = (workspace: string, manifest: object = {}, lockfile = "lockfileVersion: '9.0'\n") => {
      const texts = { 'package.json': JSON.stringify(manifest), 'pnpm-workspace.yaml': workspace };
      const source = { files: ['package.json', 'pnpm-lock.yaml'], texts: { ...texts, 'pnpm-lock.yaml': lockfile } };
      return detectPackageManager(readManifest(texts['package.json'], []), source, []).version;
    };
    assert.equal(versionOf('allowBuilds: {esbuild: true}\n'), '10.26.0');
    assert.equal(versionOf('onlyBuiltDependencies: [esbuild]\n'), '10.20.0');
    assert.equal(versionOf('allowBuilds: {a: true}\n', { packageManager: 'pnpm@10.2.0' }), '10.2.0', 'as it is named');
    assert.equal(versionOf('allowBuilds: {a: true}\n', {}, 'lockfileVersion: 5.4\n'), '7.33.7', 'which runs all');
  });
});

describe('a package manager that the catalog declares', () => {
  const detect = (declared: string, files: readonly string[]) =>
    detectPackageManager(readManifest('{"packageManager":"yarn@4.1.0"}', []), { files, texts: {} }, [], declared);

  it('is followed with its version, whatever lockfiles and packageManager say', () => {
    const { name, version, lockfile } = detect('pnpm@9.1.0', ['yarn.lock', 'pnpm-lock.yaml']);
    assert.deepEqual([name, version, lockfile], ['pnpm', '9.1.0', 'pnpm-lock.yaml']);
  });

  it('takes no lockfile of another one', () => {
    assert.deepEqual(detect('npm', ['yarn.lock']), {
      ...{ name: 'npm', version: null, lockfile: null },
      ...{ berry: false, rewritesLock: false, runsAllScripts: false },
    });
  });
});
