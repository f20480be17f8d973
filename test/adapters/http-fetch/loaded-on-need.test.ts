import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

/** Prints the packages that are loaded with the module of guarded fetches. */
const PROGRAM = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      packages.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]);
      return next(url, context);
    },
  });
  const { createGuardedFetch } = await import(process.argv[1]);
  createGuardedFetch({ timeoutMs: 1000, mostBytes: 1000 });
  console.log(JSON.stringify([...packages]));
`;

test('a process that fetches no address of a person loads no HTTP client for it', async () => {
  const entry = new URL('../../../adapters/http-fetch/guarded-fetch.ts', import.meta.url).href;
  const args = ['--input-type=module', '--eval', PROGRAM, entry];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const packages: readonly string[] = JSON.parse(stdout);
  assert.ok(packages.includes('ipaddr.js'), stdout);
  assert.ok(!packages.includes('undici'), stdout);
});
