import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { DOCKER_INSTALLATION, planDeploy } from '../../domain/deploys/plan.ts';
import { STEPS } from '../../domain/deploys/steps.ts';
import { cellsOf, PIPELINE_PAGE, UNWRITTEN, withStepsTable } from '../../infra/dev/pipeline-table.ts';

const page = await readFile(PIPELINE_PAGE, 'utf8');
const rows = page.split('\n').filter((line) => /^\| .*\(`[a-z-]+`\)/.test(line));
const remedy = 'run "node_modules/.bin/node infra/dev/pipeline-table.ts", then say there what a new step does';

/** The commands of the page run in test/e2e/pipeline-page.test.ts, which has a stack. */
describe('docs/pipeline.md', () => {
  it('has every step in its order, with its status, when it is skipped and what its failure does', () => {
    assert.equal(page, withStepsTable(page), `the table "The steps in order" is not up to date: ${remedy}`);
    assert.equal(rows.length, STEPS.length);
  });

  it('says of every step what it does', () => {
    for (const row of rows) {
      const [step, , does = ''] = cellsOf(row);
      assert.ok(does !== UNWRITTEN && does.length > 20, `${step} is not described: ${remedy}`);
    }
  });

  it('a step that is changed, new, moved or gone is found, and what the page says of the others is kept', () => {
    const [first, second, ...others] = STEPS;
    const renamed = { ...first, title: 'Get source', key: 'get-source' };
    const written = withStepsTable(page, [second, renamed, ...others.slice(1)]);
    assert.match(written, /\n\| Parse catalog .*\n\| Get source \(`get-source`\) +\| cloning +\| … +\| never +\|/);
    assert.ok(!written.includes('(`container-file`)'));
    assert.match(written, /looks whether the owner may deploy/);
    assert.equal(withStepsTable(page.replace('| never ', '| seldom '), STEPS), page);
    assert.throws(() => withStepsTable('# Nothing'), /no table under/);
  });

  it('a rollback begins where the page says', () => {
    const plan = planDeploy({
      ...{ kind: 'rollback', fromStep: null, done: null, catalog: null, facts: {} },
      installation: DOCKER_INSTALLATION,
    });
    const begins = plan.findLastIndex(({ state }) => state === 'reused') + 1;
    const besides = plan.slice(0, begins).filter(({ state }) => state !== 'reused');
    const takes = `takes all before ${plan[begins]?.title} from the release that it restores`;
    const but = besides.map(({ title }) => title).join(', ');
    assert.ok(page.includes(`A rollback** ${takes}, but for ${but}, and`));
  });

  it('links to pages and headings that are there', async () => {
    const links = [...page.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    assert.ok(links.length > 5);
    for (const [, target = '', heading] of links) {
      const text = target === '' ? page : await readFile(join(dirname(PIPELINE_PAGE), target), 'utf8');
      const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchorOf(title));
      assert.ok(heading === undefined || headings.includes(heading), `${target}#${heading}`);
    }
  });
});

/** As git hosts write it. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}
