import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { consoleSection } from '../../adapters/env/console.ts';
import { serviceRow } from '../../domain/services.ts';

const guide = await readFile(join(import.meta.dirname, '../../docs/console.md'), 'utf8');

it('docs/console.md names every variable of the console', () => {
  const { portVariable, baseUrlVariable } = serviceRow('console');
  for (const name of [...Object.keys(consoleSection), portVariable, baseUrlVariable]) {
    assert.ok(guide.includes(`\`${name}\``), name);
  }
});
