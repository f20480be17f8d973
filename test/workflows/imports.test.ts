import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

const filesOf = (pattern: string): readonly string[] => {
  const files = globSync(pattern, { cwd: ROOT }).toSorted();
  assert.ok(files.length > 5, pattern);
  return files;
};

/** The code of a file without its comments. */
const codeOf = (file: string): string =>
  readFileSync(join(ROOT, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(?<!:)\/\/.*$/gm, '');

const VALUE_IMPORT = /^(?:import|export) (?!type )[^;]*?from '(\.[^']*)';/gms;

/** Files, and all that they take values from. */
function withImports(files: readonly string[], found = new Set<string>()): ReadonlySet<string> {
  for (const file of files) {
    if (found.has(file)) continue;
    found.add(file);
    const targets = [...codeOf(file).matchAll(VALUE_IMPORT)].map(([, target = '']) => join(dirname(file), target));
    withImports(targets, found);
  }
  return found;
}

/** Ways to a clock, to randomness and to the outside that Temporal does not replace in workflow code. */
const OF_THE_MACHINE =
  /\bprocess\s*\.|\bperformance\s*\.|\bcrypto\s*\.|\bTemporal\.Now\b|from 'node:|\bimport\(|\bsetInterval\(|\bfetch\(|\bXMLHttpRequest\b/;
/** What Temporal does replace: there it is the workflow's own time and chance. */
const CLOCK_OR_CHANCE =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bDate\(\s*\)|\bMath\.random\b|\bsetTimeout\b|\bsetImmediate\b/;

describe('workflow code', () => {
  it('takes nothing but types from the activities', () => {
    for (const file of filesOf('workflows/**/*.ts')) {
      const values = codeOf(file).match(/^import (?!type )[^;]*?from '[^']*activities\/[^']*';/gms) ?? [];
      assert.deepEqual(values, [], file);
    }
  });

  it('reads no clock, randomness or environment of the machine, the rules that it uses included', () => {
    const files = withImports(filesOf('workflows/**/*.ts'));
    assert.ok([...files].some((file) => file.startsWith('domain/')));
    for (const file of files) assert.doesNotMatch(codeOf(file), OF_THE_MACHINE, file);
  });
});

describe('the rules', () => {
  it('are given the time and what is drawn by chance', () => {
    for (const file of filesOf('domain/**/*.ts')) assert.doesNotMatch(codeOf(file), CLOCK_OR_CHANCE, file);
  });
});

describe('the look for clocks', () => {
  const seen = ['performance.now()', 'process.hrtime()', 'process.env.X', 'crypto.randomUUID()', "from 'node:os'"];
  it('sees each way to one', () => {
    for (const code of [...seen, 'await import(', 'setInterval(', 'fetch(']) assert.match(code, OF_THE_MACHINE);
    for (const code of ['Date.now()', 'new Date()', 'Math.random()', 'setTimeout('])
      assert.match(code, CLOCK_OR_CHANCE);
    for (const code of ['new Date(at)', 'startDate()', 'processOf(x)']) {
      assert.doesNotMatch(code, OF_THE_MACHINE);
      assert.doesNotMatch(code, CLOCK_OR_CHANCE);
    }
  });
});
