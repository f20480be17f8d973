import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

/** Prints the packages that are loaded with the adapter. */
const PROGRAM = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      packages.add(/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1] ?? 'ours');
      return next(url, context);
    },
  });
  const { createS3ObjectStore } = await import(process.argv[1]);
  const keys = { accessKey: 'key', secretKey: 'secret' };
  createS3ObjectStore({ endpoint: 'http://127.0.0.1:1', region: 'us-east-1', bucket: 'files', ...keys });
  console.log(JSON.stringify([...packages]));
`;

test('a process that keeps no file loads no client of S3', async () => {
  const entry = new URL('../../../adapters/s3/object-store.ts', import.meta.url).href;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM, entry]);
  assert.deepEqual(JSON.parse(stdout), ['ours']);
});
