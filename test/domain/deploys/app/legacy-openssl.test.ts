import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readManifest } from '../../../../domain/catalog/read-manifest.ts';
import { describeApp } from '../../../../domain/deploys/app/describe-app.ts';
import { buildsWithMd4 } from '../../../../domain/deploys/app/legacy-openssl.ts';
import { generateContainerFile } from '../../../../domain/deploys/container-file/generate-container-file.ts';

const found = (manifest: object, texts: Readonly<Record<string, string>> = {}) =>
  buildsWithMd4(readManifest(JSON.stringify(manifest), []), { files: Object.keys(texts), texts });

/** What the lockfile of each package manager says of a version of webpack. */
const LOCKS: Readonly<Record<string, readonly [file: string, text: (version: string) => string]>> = {
  npm: [
    'package-lock.json',
    (v) => `{ "packages": {\n    "node_modules/a/node_modules/webpack": {\n      "version": "${v}",`,
  ],
  'npm before 7': ['package-lock.json', (v) => `{ "dependencies": {\n    "webpack": {\n      "version": "${v}"`],
  'yarn 1': ['yarn.lock', (v) => `\nwebpack@^5.0.0, webpack@^5.1.0:\n  version "${v}"\n`],
  'yarn 4': ['yarn.lock', (v) => `\n"webpack@npm:^5.0.0":\n  version: ${v}\n`],
  pnpm: ['pnpm-lock.yaml', (v) => `packages:\n\n  webpack@${v}:\n    resolution: {}\n`],
  'pnpm before 8': ['pnpm-lock.yaml', (v) => `packages:\n\n  /webpack/${v}:\n    resolution: {}\n`],
  bun: ['bun.lock', (v) => `  "packages": {\n    "webpack": ["webpack@${v}", "", {}]\n`],
};

describe('a webpack that builds with MD4', () => {
  for (const [manager, [file, text]] of Object.entries(LOCKS)) {
    it(`is found in the lockfile of ${manager}, and one of later is not`, () => {
      for (const version of ['5.37.0', '5.60.0', '4.46.0', '5.0.0-beta.1']) {
        assert.equal(found({}, { [file]: text(version) }), `webpack ${version}`);
      }
      for (const version of ['5.61.0', '5.101.3', '4.47.0']) {
        assert.equal(found({}, { [file]: text(version) }), null, version);
      }
    });
  }

  it('is no prerelease of a later version', () => {
    for (const version of ['15.4.0-canary.47', '12.1.1-canary.0', '16.0.0-beta.0']) {
      const lock = `\nnext@${version}:\n  version "${version}"\n`;
      assert.equal(found({}, { 'yarn.lock': lock }), null, version);
      assert.equal(found({ dependencies: { next: version } }), null, version);
    }
    assert.equal(found({ dependencies: { next: '12.0.11-canary.1' } }), 'next 12.0.11-canary.1');
    assert.equal(found({ dependencies: { webpack: '5.0.0-beta.1' } }), 'webpack 5.0.0-beta.1');
  });

  it('is found beside another one', () => {
    const lock = '\nwebpack@^5.0.0:\n  version "5.90.0"\n\nwebpack@4.44.2:\n  version "4.44.2"\n';
    assert.equal(found({}, { 'yarn.lock': lock }), 'webpack 4.44.2');
  });

  it('is known by the manifest without a lockfile, where none of later is allowed', () => {
    assert.equal(found({ devDependencies: { webpack: '~5.30.0' } }), 'webpack ~5.30.0');
    assert.equal(found({ dependencies: { next: '^11.1.0' } }), 'next ^11.1.0');
    assert.equal(found({ dependencies: { 'react-scripts': '4.0.3' } }), 'react-scripts 4.0.3');
    for (const range of ['^5.30.0', '^4.0.0', 'latest', 'file:./webpack']) {
      assert.equal(found({ devDependencies: { webpack: range } }), null, range);
    }
  });

  it('is told by a lockfile where the manifest allows one of later', () => {
    const lock = { 'yarn.lock': '\nnext@^11.0.0:\n  version "11.1.4"\n' };
    assert.equal(found({ dependencies: { next: '>=11' } }, lock), 'next 11.1.4');
  });

  it('is not one of another name', () => {
    const lock = '\nwebpack-cli@^4.0.0:\n  version "4.10.0"\n\nhtml-webpack@^1.0.0:\n  version "1.0.0"\n';
    assert.equal(found({}, { 'yarn.lock': lock }), null);
  });
});

describe('an app whose webpack builds with MD4', () => {
  const generate = (version: string) => {
    const app = describeApp(
      {
        files: ['package.json', 'yarn.lock'],
        texts: {
          'package.json': JSON.stringify({ scripts: { build: 'gatsby build' }, dependencies: { gatsby: '3.5.0' } }),
          'yarn.lock': `\nwebpack@^5.35.0:\n  version "${version}"\n`,
        },
      },
      { framework: 'static', port: null, healthEndpoint: '/health' },
    );
    return {
      ...app,
      text: generateContainerFile(app, { secretsEnabled: false, cacheMounts: true }).files[0]?.text ?? '',
    };
  };

  it('is built with the old algorithms of OpenSSL, and its owner is warned', () => {
    const { text, warnings } = generate('5.37.0');
    const [build = '', final = ''] = text.split(/\n\n(?=FROM )/);
    assert.match(build, /ENV NODE_OPTIONS=--openssl-legacy-provider\n[\s\S]*yarn run build/);
    assert.doesNotMatch(final, /NODE_OPTIONS/);
    assert.match(warnings.join(), /webpack 5\.37\.0 needs MD4/);
  });

  it('is built without them once it is updated', () => {
    const { text, warnings } = generate('5.90.0');
    assert.doesNotMatch(text, /NODE_OPTIONS/);
    assert.doesNotMatch(warnings.join(), /MD4/);
  });
});
