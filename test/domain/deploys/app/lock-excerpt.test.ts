import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeApp } from '../../../../domain/deploys/app/describe-app.ts';
import { lockExcerpt } from '../../../../domain/deploys/app/lock-excerpt.ts';

/** A lockfile of each package manager: how it begins, and how it writes a package. */
const FORMATS: Readonly<Record<string, readonly [file: string, head: string, (name: string, v: string) => string]>> = {
  npm: [
    'package-lock.json',
    '{\n  "name": "shop",\n  "lockfileVersion": 3,\n  "packages": {\n',
    (name, v) =>
      `    "node_modules/a/node_modules/${name}": {\n      "version": "${v}",\n      "resolved": "https://r.example/${name}.tgz"\n    },\n`,
  ],
  'npm before 7': [
    'package-lock.json',
    '{\n  "lockfileVersion": 1,\n  "dependencies": {\n',
    (name, v) => `    "${name}": {\n      "version": "${v}",\n      "dev": true\n    },\n`,
  ],
  'yarn 1': [
    'yarn.lock',
    '# yarn lockfile v1\n\n',
    (name, v) => `\n${name}@^${v}, ${name}@${v}:\n  version "${v}"\n  resolved "https://r.example/x"\n`,
  ],
  'yarn 3': [
    'yarn.lock',
    '__metadata:\n  version: 6\n',
    (name, v) => `\n"${name}@npm:^${v}":\n  version: ${v}\n  resolution: "${name}@npm:${v}"\n`,
  ],
  pnpm: [
    'pnpm-lock.yaml',
    "lockfileVersion: '9.0'\n\npackages:\n",
    (name, v) => `\n  '${name}@${v}':\n    resolution: {integrity: sha512-x}\n`,
  ],
  'pnpm before 8': [
    'pnpm-lock.yaml',
    'lockfileVersion: 5.4\n\npackages:\n',
    (name, v) => `\n  /${name}/${v}:\n    resolution: {integrity: sha512-x}\n`,
  ],
  bun: [
    'bun.lock',
    '{\n  "lockfileVersion": 1,\n  "packages": {\n',
    (name, v) => `    "${name}": ["${name}@${v}", "", { "dependencies": { "left": "1" } }, "sha512-x"],\n\n`,
  ],
};

const MANIFEST = {
  scripts: { build: 'webpack', start: 'node a.js' },
  dependencies: { express: '^5.0.0', fsevents: '^2.3.2' },
};

/** What decides something stands after many packages that do not. */
function lockfile(head: string, entry: (name: string, version: string) => string): string {
  const others = Array.from({ length: 4_000 }, (_, index) => entry(`other-${index}`, '1.0.0'));
  const deciding = [entry('express', '5.1.0'), entry('@prisma/client', '5.0.0'), entry('webpack', '5.37.0')];
  return [head, ...others, ...deciding, ...others].join('');
}

function described(file: string, lock: string) {
  const texts = { 'package.json': JSON.stringify(MANIFEST), [file]: lock };
  const declared = { framework: 'express', port: null, healthEndpoint: '/health' } as const;
  return describeApp({ files: Object.keys(texts), texts }, declared);
}

describe('an excerpt of a lockfile', () => {
  for (const [manager, [file, head, entry]] of Object.entries(FORMATS)) {
    it(`leads to the same as the whole one of ${manager}, and is small`, () => {
      const whole = lockfile(head, entry);
      const excerpt = lockExcerpt(whole, Object.keys(MANIFEST.dependencies));
      assert.ok(whole.length > 100_000 && excerpt.length < 6_000, `${whole.length} → ${excerpt.length}`);
      const app = described(file, excerpt);
      assert.deepEqual(comparable(app), comparable(described(file, whole)));
      assert.deepEqual([app.frameworkVersion, app.nativePackages], ['5.1.0', ['@prisma/client']]);
      assert.match(app.warnings.join(), /webpack 5\.37\.0 needs MD4/);
    });
  }

  it('of a yarn whose own patches are in it has all that package.json asks for', () => {
    const [file, head, entry] = FORMATS['yarn 3'] ?? assert.fail();
    const patch = '"fsevents@patch:fsevents@^2.3.2#~builtin<compat/fsevents>":\n  version: 2.3.2\n';
    const last = [entry('fsevents', '2.3.2'), patch, '\n"express@npm:^5.0.0":\n  version: 5.1.0\n'].join('');
    const whole = `${lockfile(head, entry)}${last}`;
    const install = (lock: string) => described(file, lock).install?.value ?? '';
    assert.match(install(whole), /--no-immutable/);
    assert.equal(install(lockExcerpt(whole, Object.keys(MANIFEST.dependencies))), install(whole));
  });

  it('loses no version at its seam', () => {
    const [, head, entry] = FORMATS['yarn 1'] ?? assert.fail();
    const line = 'webpack@^5.37.0:\n';
    const padding = `${head}${'# x\n'.repeat(Math.floor((4_096 - head.length - line.length) / 4))}`;
    const whole = `${padding}${line}  version "5.37.0"\n${entry('other', '1.0.0').repeat(200)}`;
    assert.match(lockExcerpt(whole, []), /^webpack@\^5\.37\.0:\n {2}version "5\.37\.0"$/m);
  });

  it('is made of a file that keeps a search busy', { timeout: 20_000 }, () => {
    const lines = `${'  "a": {\n'.repeat(100_000)}${'@'.repeat(500_000)}\n${' '.repeat(500_000)}\n  "${'node_modules/'.repeat(40_000)}`;
    assert.ok(lockExcerpt(lines, []).length < 5_000);
    const nested = `${'{\n'.repeat(3_000)}  "${'node_modules/'.repeat(400_000)}`;
    assert.ok(lockExcerpt(nested, []).length < 5_000);
    assert.ok(lockExcerpt(`${nested}webpack": {\n    "version": "5.0.0"\n`, []).includes('"version": "5.0.0"'));
  });
});

/** Without the functions. */
function comparable(app: ReturnType<typeof described>): unknown {
  return JSON.parse(JSON.stringify(app));
}
