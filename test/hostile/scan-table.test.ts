import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { renderScanTable } from './scan-table.ts';

it('the table of the threat model is the one that the corpus checks', async () => {
  const page = await readFile(new URL('../../docs/threat-model.md', import.meta.url), 'utf8');
  assert.ok(page.includes(`\n${renderScanTable()}\n`), `put this into docs/threat-model.md:\n\n${renderScanTable()}`);
});
