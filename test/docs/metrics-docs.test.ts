import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { parse } from 'yaml';
import { z } from 'zod';
import { FOLLOWED } from '../../adapters/metrics/temporal-metrics.ts';
import { projectRoot } from '../../infra/dev/project.ts';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const page = read('docs/operate.md');

/** Names of metrics as the code has them. */
const ours = globSync('{adapters/metrics,workers}/*.ts', { cwd: projectRoot }).flatMap(
  (file) => read(file).match(/(?<=')fairlead_[a-z_]+(?=')/g) ?? [],
);
/** Of the SDK: what is followed gets a suffix by its kind. */
const ofTemporal = Object.keys(FOLLOWED);

const rows = [...page.matchAll(/^\| `((?:fairlead|temporal)_\w+)` +\| ([\w, ]*?) *\|/gm)].map(
  ([, name = '', labels]) => ({
    name,
    labels: labels === '' ? [] : (labels?.split(', ') ?? []),
  }),
);

const rules = z.object({
  groups: z.tuple([
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          for: z.string(),
          annotations: z.object({ summary: z.string(), runbook_url: z.url() }),
        }),
      ),
    }),
  ]),
});

it('docs/operate.md has every metric of the platform with its labels, and no other', () => {
  assert.ok(ours.length > 12, ours.join());
  const named = rows.map(({ name }) => name);
  assert.deepEqual(named.filter((name) => name.startsWith('fairlead_')).sort(), [...new Set(ours)].sort());
  const told = rows.filter(({ name }) => name.startsWith('temporal_'));
  const plain = told.map(({ name, labels }) => {
    const [followed = ''] = ofTemporal.filter((one) => new RegExp(`^${one}(?:_total|_seconds)?$`).test(name));
    assert.deepEqual(labels, FOLLOWED[followed], name);
    return followed;
  });
  assert.deepEqual(plain.sort(), ofTemporal.sort());
});

it('its rules ask for metrics that there are, and lead to a runbook that stands in the pages', () => {
  const block = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].find(([, text]) => text?.startsWith('groups:'));
  const [group] = rules.parse(parse(block?.[1] ?? '')).groups;
  assert.ok(group.rules.length >= 3);
  for (const { alert, expr, annotations } of group.rules) {
    const asked = expr.match(/(?:fairlead|temporal)_\w+/g) ?? [];
    assert.ok(asked.length > 0, alert);
    for (const name of asked)
      assert.ok(
        rows.some((row) => row.name === name),
        `${alert}: ${name}`,
      );
    const { pathname, hash } = new URL(annotations.runbook_url);
    const runbook = read(pathname.slice(pathname.indexOf('/docs/') + 1));
    const headings = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
      text.toLowerCase().replaceAll(' ', '-'),
    );
    assert.ok(headings.includes(hash.slice(1)), `${alert}: ${hash}`);
  }
});
