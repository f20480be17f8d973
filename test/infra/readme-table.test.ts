import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { SERVICE_ROWS } from '../../domain/services.ts';
import { PART_ROWS } from '../../infra/dev/parts.ts';
import { projectRoot } from '../../infra/dev/project.ts';
import { withPartsTable } from '../../infra/dev/readme-table.ts';

const readme = await readFile(join(projectRoot, 'README.md'), 'utf8');
const remedy = 'run "node_modules/.bin/node infra/dev/readme-table.ts", which writes it';

test('the README says what runs where as the tables of services and parts have it', () => {
  assert.equal(readme, withPartsTable(readme), `the table "What runs where" is not up to date: ${remedy}`);
});

test('a row that is changed, added or missing is found', () => {
  for (const change of [
    readme.replace('`http://localhost:3001`', '`http://localhost:3999`'),
    readme.replace(/^\| MongoDB .*\n/m, ''),
    readme.replace(/^\| MongoDB .*\n/m, (row) => row + row.replace('MongoDB', 'another')),
  ]) {
    assert.notEqual(change, readme);
    assert.equal(withPartsTable(change), readme);
  }
});

test('the table names every port, its variable, and the variable that turns a part off', () => {
  for (const { defaultPort, portVariable } of SERVICE_ROWS) {
    assert.match(readme, new RegExp(`^\\|.*:${defaultPort}\\b.*\`${portVariable}\``, 'm'));
  }
  for (const { ports, replacedBy } of PART_ROWS) {
    for (const { usual, variable } of Object.values(ports)) {
      assert.match(readme, new RegExp(`^\\|.*:${usual}\\b.*\`${variable}\`.*\`${replacedBy}\``, 'm'));
    }
  }
});

test('a README without the table is refused', () => {
  assert.throws(() => withPartsTable('# Fairlead\n'), /no table under "## What runs where"/);
});
