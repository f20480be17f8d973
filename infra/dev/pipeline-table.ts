import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CATALOG_SECTIONS, type Catalog } from '../../domain/catalog/catalog.ts';
import { inferCatalog } from '../../domain/catalog/infer-catalog.ts';
import { parseCatalog } from '../../domain/catalog/parse-catalog.ts';
import { DOCKER_INSTALLATION } from '../../domain/deploys/plan.ts';
import type { Installation, StepDefinition } from '../../domain/deploys/step-definition.ts';
import { STEPS } from '../../domain/deploys/steps.ts';
import { tableLines, withTable } from './markdown-table.ts';
import { projectRoot } from './project.ts';

/**
 * The table "The steps in order" of docs/pipeline.md. `node infra/dev/pipeline-table.ts` writes it; a test holds it. All
 * but what a step does follows from its definition: that is kept as the page says it, and is `…` for a new step.
 */

const HEADING = '## The steps in order';
const COLUMNS = ['step', 'status', 'what it does', 'skipped when', 'when it fails'] as const;
/** What nobody has written yet. */
export const UNWRITTEN = '…';

export const PIPELINE_PAGE = join(projectRoot, 'docs/pipeline.md');

/** The page with the table as the code has it. @throws Error when there is no such table */
export function withStepsTable(page: string, steps: readonly StepDefinition[] = STEPS): string {
  return withTable(page, HEADING, (old) => {
    const told = new Map(old.map((line) => [stepOf(line), cellsOf(line)[2] ?? UNWRITTEN]));
    const rows = steps.map((step) => [
      nameOf(step),
      step.stage,
      told.get(nameOf(step)) ?? UNWRITTEN,
      skippedWhen(step),
      whenItFails(step, steps),
    ]);
    return tableLines([COLUMNS, ...rows]);
  });
}

/** The cells of a row without their blanks. */
export function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

const stepOf = (line: string): string => cellsOf(line)[0] ?? '';
const nameOf = ({ title, key }: StepDefinition): string => `${title} (\`${key}\`)`;

const EVERYTHING = Object.fromEntries(
  Object.entries(DOCKER_INSTALLATION).map(([name, value]) => [name, value === false ? true : value]),
) as unknown as Installation;

/** A source without a catalog, a catalog that declares nothing, one that declares all, and one without a client. */
function catalogs(): readonly Catalog[] {
  const { catalog: bare } = parseCatalog('metadata: { name: shop }', { enforceMinimumVersion: false });
  const { catalog: none } = inferCatalog({ manifest: null, files: [] });
  const { catalog: full } = parseCatalog(
    `metadata: { name: shop }
spec:
  auth: { mode: sso }
  dependencies: [{ service: prices, scopes: [read] }]
  databases: [{ type: mongodb }]
  storage: [{ name: files, tier: s3-sm }]
  tests: [{ name: home page, path: / }]
  modules: [{ name: reports }]
  userAccess: { signIn: anyone }
  seo: { enabled: true }`,
    { enforceMinimumVersion: false },
  );
  const all = { ...full, sections: CATALOG_SECTIONS };
  return [none, bare, all, { ...all, auth: null }];
}

/** Every reason by which a deploy skips a step. */
function skippedWhen({ when, run }: StepDefinition): string {
  const reasons = new Set<string>();
  for (const catalog of catalogs()) {
    for (const installation of [DOCKER_INSTALLATION, EVERYTHING]) {
      const decision = when({ kind: 'deploy', fromStep: null, done: null, catalog, facts: { catalog }, installation });
      if (decision !== 'run') reasons.add(decision.skip);
    }
  }
  const listed = [...reasons].join('; ');
  if (run === null) return `always in this version: ${listed}`;
  return listed === '' ? 'never' : listed;
}

/** What a failure of a step comes to, by what it passes over and what is undone. */
function whenItFails({ key, run, failOpen }: StepDefinition, steps: readonly StepDefinition[]): string {
  if (run === null) return '';
  if (failOpen.some(({ codes }) => codes === 'any')) return 'a warning';
  const away = failOpen.map(({ system }) => `a warning while the ${NAMES[system] ?? system} is away`);
  const place = (wanted: string): number => steps.findIndex((step) => step.key === wanted);
  const until = steps.find((step) => step.key === 'install')?.run?.undo?.until;
  const isUndone = until !== undefined && place('install') <= place(key) && place(key) <= place(until);
  const after = RELEASE_STAYS.has(key) ? ', and the new release stays' : ', and the previous release keeps serving';
  const end = `ends the build${isUndone ? after : ''}`;
  return [end, ...away].join('; ');
}

/** Steps that register the release before they fail, by their work: see docs/after-install.md. */
const RELEASE_STAYS: ReadonlySet<string> = new Set(['gated-tests']);

/** Systems as their clients' errors name them, where that is not what people call them. */
const NAMES: Readonly<Record<string, string>> = {
  registry: 'service registry',
  'identity-provider': 'identity provider',
};

if (import.meta.main) {
  await writeFile(PIPELINE_PAGE, withStepsTable(await readFile(PIPELINE_PAGE, 'utf8')));
}
