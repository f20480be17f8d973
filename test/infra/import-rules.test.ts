import assert from 'node:assert/strict';
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractConfig from 'dependency-cruiser/config-utl/extract-depcruise-config';

const root = fileURLToPath(new URL('../../', import.meta.url));
const RULE_FILES = ['.dependency-cruiser.json', 'infra/dev/module-rules.mjs', 'package.json', 'tsconfig.json'];
const FOLDERS = ['domain', 'workflows', 'activities', 'adapters', 'api', 'workers', 'cli', 'web', 'infra'];

/** Three modules: `shop` may use `stock`, and nobody `till`. */
const README = ['| `stock/` | goods | |', '| `shop/` | sales | `stock` |', '| `till/` | money | |'].join('\n');

/** One import and the rule it breaks. */
const FORBIDDEN = [
  ['domain/stock/a.ts', 'domain/shop/b.ts', 'domain-order-stock'],
  ['domain/shop/a.ts', 'domain/till/b.ts', 'domain-order-shop'],
  ['domain/till/a.ts', 'domain/stock/b.ts', 'domain-order-till'],
  ['api/stock/a.ts', 'api/shop/b.ts', 'api-order-stock'],
  ['api/shop/a.ts', 'api/till/b.ts', 'api-order-shop'],
  ['api/till/a.ts', 'api/stock/b.ts', 'api-order-till'],
  ['workflows/stock/a.ts', 'workflows/shop/b.ts', 'workflows-apart-stock'],
  ['workflows/shop/a.ts', 'activities/stock/b.ts', 'workflows-apart-shop'],
  ['workflows/till/a.ts', 'activities/stock/b.ts', 'workflows-apart-till'],
  ['activities/stock/a.ts', 'activities/shop/b.ts', 'activities-apart-stock'],
  ['activities/shop/a.ts', 'activities/stock/b.ts', 'activities-apart-shop'],
  ['activities/till/a.ts', 'activities/shop/b.ts', 'activities-apart-till'],
  ['adapters/mongo/stock/a.ts', 'adapters/mongo/shop/b.ts', 'collections-apart-stock'],
  ['adapters/mongo/shop/a.ts', 'adapters/mongo/stock/b.ts', 'collections-apart-shop'],
  ['adapters/mongo/till/a.ts', 'adapters/mongo/shop/b.ts', 'collections-apart-till'],
  ['domain/page.ts', 'domain/stock/b.ts', 'domain-shared-below-modules'],
  ['api/http/a.ts', 'api/stock/b.ts', 'http-below-modules'],
  ['domain/stock/one.ts', 'domain/stock/other.ts', 'no-circular'],
  ['domain/stock/other.ts', 'domain/stock/one.ts', null],
  ['domain/stock/c.ts', 'adapters/mongo/connect.ts', 'domain-is-pure'],
  ['domain/stock/d.ts', 'node:fs', 'domain-no-node'],
  ['domain/stock/e.ts', 'mongodb', 'domain-no-sdk'],
  ['workflows/stock/c.ts', 'adapters/mongo/connect.ts', 'workflows-are-deterministic'],
  ['activities/stock/d.ts', 'adapters/mongo/connect.ts', 'inner-layers-side-by-side'],
  ['adapters/mongo/connect.ts', 'api/stock/b.ts', 'adapters-below'],
  ['api/stock/d.ts', 'adapters/mongo/connect.ts', 'api-through-ports'],
  ['infra/dev/a.ts', 'workers/stock.ts', 'nothing-imports-workers'],
  ['cli/a.ts', 'api/stock/b.ts', 'consumers-use-the-api'],
  ['web/a.ts', 'api/stock/b.ts', 'console-uses-the-api'],
  ['api/stock/f.ts', 'web/pages.ts', 'console-is-composed-once'],
  ['api/stock/e.ts', 'mongodb', 'database-in-adapters'],
  ['domain/stock/f.ts', 'fast-check', 'no-dev-dependency-in-product'],
] as const;

const projects: string[] = [];
after(() => projects.forEach((project) => void rmSync(project, { recursive: true })));

type Import = readonly [file: string, imported: string, rule?: string | null];

/** A project with our rules, the table of modules in `readme`, and files that import types of one another. */
function createProject(readme: string, imports: readonly Import[]): string {
  const project = mkdtempSync(join(tmpdir(), 'import-rules-'));
  projects.push(project);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), text);
  };
  for (const file of RULE_FILES) cpSync(join(root, file), join(project, file));
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  write('domain/README.md', readme);
  const sources = new Map<string, string>();
  for (const [file, imported] of imports) {
    const local = imported.endsWith('.ts');
    const path = local ? relative(dirname(file), imported).replace(/^(?!\.)/, './') : imported;
    sources.set(file, `import type { X } from '${path}';\nexport type Y = X;\n`);
    if (local && !sources.has(imported)) sources.set(imported, 'export type X = 1;\n');
  }
  for (const [file, source] of sources) write(file, source);
  for (const folder of FOLDERS) mkdirSync(join(project, folder), { recursive: true });
  return project;
}

/** The rules of the project, and which import breaks which of them. */
async function checkProject(project: string): Promise<{ rules: string[]; broken: string[] }> {
  const { forbidden = [], options } = await extractConfig('./.dependency-cruiser.json', new Set(), project);
  const { output } = await cruise(FOLDERS, { ...options, baseDir: project, validate: true, ruleSet: { forbidden } });
  assert.ok(typeof output === 'object');
  return {
    rules: forbidden.map(({ name = '' }) => name).sort(),
    broken: output.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`),
  };
}

describe('import rules', () => {
  it('each one is broken by an import of its kind, though it is of a type alone', async () => {
    const { rules, broken } = await checkProject(createProject(README, FORBIDDEN));
    const proven = FORBIDDEN.flatMap(([, , rule]) => rule ?? []);
    assert.deepEqual([...proven].sort(), rules, 'every rule has an import that breaks it');
    for (const [file, imported, rule] of FORBIDDEN) {
      if (rule === null) continue;
      const target = imported.endsWith('.ts') ? imported : imported.replace('node:', '');
      const found = broken.some((line) => line.startsWith(`${rule}: ${file} → `) && line.includes(target));
      assert.ok(found, `${rule} is not broken by ${file} importing ${imported}:\n${broken.join('\n')}`);
    }
  });

  it('let a module use what its row names, and the shared files', async () => {
    const { broken } = await checkProject(
      createProject(README, [
        ['domain/shop/a.ts', 'domain/stock/b.ts'],
        ['domain/till/a.ts', 'domain/page.ts'],
        ['api/shop/a.ts', 'api/stock/b.ts'],
        ['api/stock/a.ts', 'domain/shop/ports.ts'],
        ['api/stock/c.ts', 'api/http/caller.ts'],
        ['workflows/till/a.ts', 'activities/till/b.ts'],
        ['adapters/mongo/shop/a.ts', 'adapters/mongo/cursor.ts'],
      ]),
    );
    assert.deepEqual(broken, []);
  });

  it('refuse a table with a cycle, without a row for a module, or with a row for none', async () => {
    const files = [
      ['domain/stock/a.ts', 'domain/page.ts'],
      ['domain/shop/a.ts', 'domain/page.ts'],
    ] as const;
    const refused = (readme: string, message: RegExp) =>
      assert.rejects(async () => checkProject(createProject(readme, files)), message);
    await refused('| `stock/` | goods | `shop` |\n| `shop/` | sales | `stock` |', /stock may use only rows above it/);
    await refused('| `stock/` | goods | |', /no row says what shop may use/);
    await refused(
      '| `stock/` | goods | |\n| `shop/` | sales | |\n| `till/` | money | |',
      /no folder for the row of till/,
    );
  });

  it('see every import: re-exports, which the checker does not follow, stand in entries only', () => {
    // Those of tests add workflows of their own to a bundle.
    const entries = /^(?:sdk\/index|workflows\/index|test\/(?:bench\/parts|support)\/[a-z-]+-workflows)\.ts$/;
    const reExporting = globSync(`{${FOLDERS.join(',')},sdk,test}/**/*.ts`, { cwd: root })
      .filter((file) => !file.startsWith('test/fixtures/'))
      .filter((file) =>
        /^export (?:type )?(?:\{[^}]*\}|\*[^'\n]*) from '/m.test(readFileSync(join(root, file), 'utf8')),
      );
    assert.ok(reExporting.includes('workflows/index.ts'));
    assert.deepEqual(
      reExporting.filter((file) => !entries.test(file)),
      [],
    );
  });

  it('keep collections apart: an adapter opens those its module names, never one by a literal', () => {
    const files = globSync('{adapters,api,workers,activities}/**/*.ts', { cwd: root });
    const literal = /\.collection(?:<.*>)?\(\s*['"`]/;
    assert.deepEqual(
      files.filter((file) => literal.test(readFileSync(join(root, file), 'utf8'))),
      [],
    );
    assert.match("db.collection<Document>('users')", literal);
  });
});
