import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const files = globSync('workflows/**/*.ts', { cwd: new URL('../../', import.meta.url) });

describe('workflow code', () => {
  it('takes nothing but types from the activities', () => {
    assert.ok(files.length > 5);
    for (const file of files) {
      const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
      const values = source.match(/^import (?!type )[^;]*?from '[^']*activities\/[^']*';/gms) ?? [];
      assert.deepEqual(values, [], file);
    }
  });

  it('reads no clock, randomness or environment of the machine', () => {
    for (const file of files) {
      const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
      assert.doesNotMatch(source, /process\.env|from 'node:|setInterval|fetch\(/, file);
    }
  });
});
