import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isStackFrame, namesError } from '../../../domain/deploys/error-lines.ts';

it('lines that name an error are told from stacks, from the last words of package managers and from others', () => {
  for (const line of [
    'Error: boom',
    'TypeError: Cannot read properties of undefined',
    'Error [ERR_MODULE_NOT_FOUND]: Cannot find package',
    '12:00:01 0|app  | Error: Config validation error',
    '[11ty] 1. Error in Eleventy (via PluginError: no)',
    "src/a.ts(1,7): error TS2322: Type 'string' is not assignable.",
    'npm error notarget No matching version found for a@9',
    'sh: 1: tsc: not found',
    '✘ [ERROR] Could not resolve "x"',
    'Uncaught Exception: no',
  ]) {
    assert.ok(namesError(line), line);
  }
  for (const line of [
    '    at main (/app/server.js:3:9)',
    '[11ty]     at Error: load (node:internal/modules:261:19)',
    '12:00:01 0|app  |     at a (/app/src/index.js:1:21)',
    'npm error code ETARGET',
    'npm error A complete log of this run can be found in: /root/x',
    'Found 0 errors. Watching for file changes.',
    'Server listening on 3000',
  ]) {
    assert.ok(!namesError(line), line);
  }
  assert.ok(isStackFrame('[11ty]     at wrapModuleLoad (node:internal/modules/cjs/loader:261:19)'));
  assert.ok(!isStackFrame('look at this'));
});

it('long lines keep nobody busy', { timeout: 5_000 }, () => {
  for (const text of ['Error'.repeat(1e6), ' '.repeat(1e6), '1'.repeat(1e6), '[a'.repeat(1e6)]) {
    namesError(text);
    isStackFrame(text);
  }
});
