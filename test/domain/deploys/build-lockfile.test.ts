import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { isLockfile } from '../../../domain/deploys/build-lockfile.ts';

const APPS = new URL('../../fixtures/apps/', import.meta.url);

describe('what counts as a lockfile', () => {
  for (const path of [
    'express-npm/package-lock.json',
    'express-yarn/yarn.lock',
    'yarn-berry/yarn.lock',
    'fastify-pnpm/pnpm-lock.yaml',
    'bun/bun.lock',
  ]) {
    it(`is one that a package manager wrote: ${path}`, async () => {
      const text = await readFile(new URL(path, APPS), 'utf8');
      assert.equal(isLockfile({ name: path.split('/').at(-1) ?? '', text }), true);
    });
  }

  it('may begin with comments, and of pnpm before 6 with what the app needs', () => {
    assert.equal(isLockfile({ name: 'bun.lock', text: '// bun\n{\n  "lockfileVersion": 1,\n}' }), true);
    assert.equal(
      isLockfile({ name: 'pnpm-lock.yaml', text: 'dependencies:\n  a: 1.0.0\nlockfileVersion: 5.1\n' }),
      true,
    );
    assert.equal(isLockfile({ name: 'yarn.lock', text: '# x\r\n# yarn lockfile v1\r\n' }), true);
  });

  it('is no other file, whatever its name is', () => {
    for (const name of ['package-lock.json', 'yarn.lock', 'pnpm-lock.yaml', 'bun.lock']) {
      for (const text of ['', 'TOKEN=abc\n', '{"private_key":"x"}', '[1]', 'null', 'root:x:0:0::/root:/bin/sh\n']) {
        assert.equal(isLockfile({ name, text }), false, `${name}: ${text}`);
      }
    }
    assert.equal(isLockfile({ name: 'constructor', text: '{"lockfileVersion":3}' }), false);
  });
});
