// Import rules between modules, made of the table in domain/README.md. Plain JavaScript, because dependency-cruiser
// loads it: `.dependency-cruiser.json` extends it. Type-only imports count as any import does.
import { readdirSync, readFileSync } from 'node:fs';

/** @typedef {{ readonly module: string, readonly uses: readonly string[] }} ModuleRow */

const DOMAIN = new URL('../../domain/', import.meta.url);

/**
 * The rows of the table: `| name/ | what it holds | a, b |`, the lowest module first.
 * @param {string} readme
 * @param {readonly string[]} folders of domain/
 * @returns {readonly ModuleRow[]}
 * @throws when a folder has no row, a row no folder, or a row names a module that is not above it: so there are no cycles.
 */
function readModuleTable(readme, folders) {
  /** @type {ModuleRow[]} */
  const rows = [];
  for (const [, module = '', cell = ''] of readme.matchAll(/^\| `([a-z-]+)\/` *\|[^|]*\|([^|]*)\|$/gm)) {
    const uses = [...cell.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name);
    const unknown = uses.filter((name) => !rows.some((row) => row.module === name));
    if (unknown.length > 0) throw new Error(`domain/README.md: ${module} may use only rows above it, not ${unknown}`);
    rows.push({ module, uses });
  }
  const named = rows.map(({ module }) => module);
  const missing = folders.filter((folder) => !named.includes(folder));
  if (missing.length > 0) throw new Error(`domain/README.md: no row says what ${missing} may use`);
  const gone = named.filter((module) => !folders.includes(module));
  if (gone.length > 0) throw new Error(`domain/README.md: there is no folder for the row of ${gone}`);
  return rows;
}

/**
 * The rules of each module, in every layer where modules import one another.
 * @param {readonly ModuleRow[]} rows
 */
function moduleRules(rows) {
  const all = rows.map(({ module }) => module);
  const others = (/** @type {readonly string[]} */ allowed) => all.filter((module) => !allowed.includes(module));
  const perModule = rows.flatMap(({ module, uses }) => {
    const foreign = others([module]);
    const aboveOrBeside = others([module, ...uses]);
    return [
      rule(`domain-order-${module}`, `^domain/${module}/`, `^domain/${anyOf(aboveOrBeside)}/`),
      rule(`api-order-${module}`, `^api/${module}/`, `^api/${anyOf(aboveOrBeside)}/`),
      rule(`workflows-apart-${module}`, `^workflows/${module}/`, `^(workflows|activities)/${anyOf(foreign)}/`),
      rule(`activities-apart-${module}`, `^activities/${module}/`, `^activities/${anyOf(foreign)}/`),
      rule(`collections-apart-${module}`, `^adapters/mongo/${module}/`, `^adapters/mongo/${anyOf(foreign)}/`),
    ];
  });
  return [
    rule('domain-shared-below-modules', '^domain/[^/]+\\.ts$', '^domain/[^/]+/'),
    rule('http-below-modules', '^api/http/', `^api/${anyOf(all)}/`),
    ...perModule,
  ];
}

/** @param {readonly string[]} names */
function anyOf(names) {
  return `(${names.join('|')})`;
}

/** @param {string} name @param {string} from @param {string} to */
function rule(name, from, to) {
  return { name, severity: 'error', from: { path: from }, to: { path: to } };
}

const folders = readdirSync(DOMAIN, { withFileTypes: true }).filter((entry) => entry.isDirectory());

export default {
  forbidden: moduleRules(
    readModuleTable(
      readFileSync(new URL('README.md', DOMAIN), 'utf8'),
      folders.map(({ name }) => name),
    ),
  ),
};
