import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readAppSource } from '../../../../domain/catalog/app-source.ts';
import { inferCatalog } from '../../../../domain/catalog/infer-catalog.ts';
import { parseCatalog } from '../../../../domain/catalog/parse-catalog.ts';
import { workspaceFolders } from '../../../../domain/catalog/workspace-folders.ts';
import { describeApp } from '../../../../domain/deploys/app/describe-app.ts';
import { stripComments } from '../../../../domain/deploys/app/strip-comments.ts';

/** Far more than any of these takes; texts that make a search go back over and over take days. */
const timeout = 20_000;

const declared = { framework: null, port: null, healthEndpoint: '/health' } as const;

function describeScripts(scripts: Readonly<Record<string, string>>, more: object = {}): unknown {
  const manifest = JSON.stringify({ scripts, ...more });
  try {
    inferCatalog({ manifest, files: ['package.json'] });
    return describeApp({ files: ['package.json'], texts: { 'package.json': manifest } }, declared);
  } catch (error) {
    return error;
  }
}

/** Each script calls the next one ten times. */
function nested(levels: number): Record<string, string> {
  const script = (level: number): string => {
    const line = level === levels - 1 ? 'node x' : `npm run s${level + 1}`;
    return Array.from({ length: 10 }, () => line).join(' && ');
  };
  return Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [level === 0 ? 'start' : `s${level}`, script(level)]),
  );
}

/** Each script runs several times all those that a pattern means. */
function everyScript(count: number, line: string): Record<string, string> {
  const names = Array.from({ length: count }, (_, index) => (index === 0 ? 'start' : `s:${index}`));
  const text = Array.from({ length: Math.floor(3_900 / (line.length + 4)) }, () => line).join(' && ');
  return Object.fromEntries(names.map((name) => [name, text]));
}

const SCRIPTS: readonly (readonly [string, Readonly<Record<string, string>>, object?])[] = [
  ['a start script of sixty variables', { start: `${'NODE_ENV=a '.repeat(60)}x` }],
  ['a development script of sixty variables', { dev: `${'a=a=a '.repeat(60)}x` }],
  ['scripts that call ten scripts each, eight levels deep', nested(8)],
  ['programs that run every script, of which each runs every script', everyScript(25, 'run-s **')],
  ['programs that are given patterns of hundreds of scripts', everyScript(200, 'run-p z:** *:z z* z** *z')],
  ['programs that are given patterns of more scripts than a person keeps', everyScript(250, 'run-s ** **')],
  ['a chain of programs that start programs', { start: `${'env '.repeat(100_000)}node x` }],
  ['hooks that call one another', { start: 'node x', postinstall: `${'npx '.repeat(100_000)}y` }],
  ['a quote that never ends', { start: `node x "${'\\"'.repeat(400_000)}` }],
  [
    'a dependency with a million question marks',
    { start: 'node x' },
    { dependencies: { a: `file:${'?'.repeat(1e6)}\nx` } },
  ],
];

describe("a stranger's source keeps nobody busy", () => {
  for (const [name, scripts, more] of SCRIPTS) {
    it(name, { timeout }, () => {
      assert.ok(describeScripts(scripts, more) instanceof Object);
    });
  }

  it('a start script that calls others so often is left to the package manager', { timeout }, () => {
    const app = describeScripts(nested(3)) as ReturnType<typeof describeApp>;
    assert.match(app.start?.value.join(' ') ?? '', /npm run/);
  });

  it('a script longer than a person writes is ignored, and a warning names it', () => {
    const manifest = JSON.stringify({ scripts: { start: 'node server.js', build: `tsc ${'x '.repeat(4_000)}` } });
    const app = describeApp({ files: ['package.json'], texts: { 'package.json': manifest } }, declared);
    assert.equal(app.build, null);
    assert.match(app.warnings.join(), /the script build in package\.json is longer than 4000 characters/);
  });

  it('patterns of workspaces with many stars, and names made for them', { timeout }, async () => {
    const tree = { list: async (folder: string) => (folder === '' ? ['a'.repeat(255)] : ['package.json']) };
    const workspaces = [`${'*a'.repeat(40)}*b`, `!${'*a'.repeat(40)}*b`, '*'];
    assert.deepEqual(await workspaceFolders(tree, { 'package.json': JSON.stringify({ workspaces }) }), [
      'a'.repeat(255),
    ]);
  });

  it('patterns that mean every folder many times over list each folder once, and no more than so many', async () => {
    for (const workspaces of [['**/'.repeat(40)], ['**/*'.repeat(9)], Array.from({ length: 5_000 }, () => '*/*/*/*')]) {
      let lists = 0;
      const tree = {
        list: async (folder: string) => {
          lists += 1;
          return folder.split('/').length < 6
            ? Array.from({ length: 20 }, (_, index) => `d${index}`)
            : ['package.json'];
        },
      };
      await workspaceFolders(tree, { 'package.json': JSON.stringify({ workspaces }) });
      assert.ok(lists <= 3_000, `${lists} for ${workspaces[0]}`);
    }
  });

  it('settings of sixty-four thousand quotes, blanks and keys', { timeout }, async () => {
    const keys = Array.from({ length: 16_000 }, (_, index) => index.toString(36)).join(',');
    const texts: Readonly<Record<string, string>> = {
      'package.json': '{"scripts":{"start":"node x"},"packageManager":"yarn@4.0.0"}',
      'yarn.lock': 'nan@\n'.repeat(200_000),
      'mise.toml': `node=${' '.repeat(64_000)}`,
      '.yarnrc.yml': `{${keys}}`,
      'pnpm-workspace.yaml': `{${keys}}`,
    };
    const list = async (folder: string) => (folder === '' ? Object.keys(texts) : []);
    const source = await readAppSource({ list, readText: async (path) => texts[path] ?? null });
    assert.ok(describeApp(source, declared));
    assert.equal(stripComments(`"${'\\"'.repeat(32_000)}`).length, 64_001);
    assert.throws(() => parseCatalog(`{metadata: {name: x}, a: {${keys},1,1}}`, { enforceMinimumVersion: false }), {
      message: /the key 1 stands here more than once/,
    });
  });
});

describe('comments of a settings file', () => {
  for (const [text, expected] of [
    ['a // b\nc', 'a \nc'],
    ['a /* b\n */ c', 'a  c'],
    ['"http://x" // y', '"http://x" '],
    ["'/*' + `//1\n//` /**/", "'/*' + `//1\n//` "],
    ['a / b', 'a / b'],
    ["it's // kept to its line\nb // c", "it's // kept to its line\nb "],
  ] as const) {
    it(JSON.stringify(text), () => assert.equal(stripComments(text), expected));
  }
});
