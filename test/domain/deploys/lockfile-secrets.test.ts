import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { showsSecret } from '../../../domain/deploys/lockfile-secrets.ts';

const APPS = new URL('../../fixtures/apps/', import.meta.url);
const SECRET = 'ab+c=/"é';

/** Parts of lockfiles by which others would get what is not theirs. */
const SHOWN: Readonly<Record<string, string>> = {
  'a password': '"resolved": "https://me:hunter2@npm.example/a.tgz"',
  'a password with a quote': `"resolved": "https://user:pa'ss@npm.example/a.tgz"`,
  'a password with an escaped quote': '"resolved": "https://user:pa\\"ss@npm.example/a.tgz"',
  'an empty password': '"resolved": "https://user:@npm.example/a.tgz"',
  'a password of git': '"resolved": "git+ssh://git:hunter2@github.com/o/r.git#abc"',
  'a user that is a token': 'a@git+https://tok@github.com/o/r.git',
  'an escaped address': '"resolved": "https:\\/\\/me:hunter2\\u0040npm.example/a.tgz"',
  'an address in an address': '"a@npm:1.0.0::__archiveUrl=https%3A%2F%2Fci%3AS3cretPw%40npm.example%2Fa.tgz"',
  'one in an address in an address': 'u=https%253A%252F%252Fci%253AS3cretPw%2540npm.example',
  'bytes that are no UTF-8 beside it': 'u=%FFhttps%3A%2F%2Fci%3AS3cretPw%40npm.example',
  'a token by its shape': `"resolved": "https://npm.example/ghp_${'0'.repeat(36)}/a.tgz"`,
  'a parameter by its name': '"resolved": "https://npm.example/a.tgz?token=x"',
  'a second parameter': 'resolved "https://npm.example/a.tgz?b=1&access_token=x#0"',
  'a signature of Azure': '"https://acc.blob.core.windows.net/a.tgz?se=1&sig=abc"',
  'a signature of AWS': '{tarball: https://b.s3.amazonaws.com/a.tgz?X-Amz-Signature=abc}',
  'a private key': '"text": "-----BEGIN RSA PRIVATE KEY-----"',
  'a given value': `x ${SECRET} y`,
  'a given value in an address': `https://r.example/${encodeURIComponent(SECRET)}/x`,
  'a given value in an address in an address': encodeURIComponent(`https://r/${encodeURIComponent(SECRET)}`),
  'a given value in JSON': JSON.stringify({ resolved: SECRET }),
  'a given value in base64': btoa('xyz').concat(Buffer.from(SECRET).toString('base64')),
};

/** Parts of lockfiles that package managers write, and that show nothing. */
const HARMLESS: Readonly<Record<string, string>> = {
  'a repository at GitHub': '"resolved": "git+ssh://git@github.com/o/r.git#0123456789012345678901234567890123456789"',
  'a repository for everybody': 'a@git+https://git@github.com/o/r.git',
  'a user of SSH': 'ssh://deploy@git.example:2222/o/r.git',
  'packages named like secrets, npm':
    '"dependencies": { "cookie": "0.7.1", "jsonwebtoken": "^9.0.0", "passport-jwt": "4" }',
  'packages named like secrets, yarn':
    'cookie@0.7.1:\n  version "0.7.1"\n"csrf-token@npm:^1":\n  jsonwebtoken: "npm:^9"\n',
  'packages named like secrets, pnpm':
    '  jsonwebtoken@9.0.2(cookie@0.7.1):\n    cookie: 0.7.1\n    passport-jwt: 4.0.1\n',
  'a patch of yarn': '"a@patch:a@npm%3A1.0.0#~builtin<compat/a>::version=1.0.0&hash=18f3a7"',
  'a scope in an address': 'https://npm.example/@scope%2Fa/-/a-1.0.0.tgz#0123',
  'a port': 'http://localhost:4873/@scope/a/-/a-1.0.0.tgz',
};

describe('a lockfile shows a secret', () => {
  for (const [name, text] of Object.entries(SHOWN)) {
    it(`by ${name}`, () => assert.equal(showsSecret(`{\n  ${text}\n}`, [SECRET]), true, text));
  }

  for (const [name, text] of Object.entries(HARMLESS)) {
    it(`not by ${name}`, () => assert.equal(showsSecret(`{\n  ${text}\n}`, [SECRET]), false, text));
  }

  it('not where it is as package managers write it', async () => {
    for (const path of ['express-npm/package-lock.json', 'express-yarn/yarn.lock', 'fastify-pnpm/pnpm-lock.yaml']) {
      assert.equal(showsSecret(await readFile(new URL(path, APPS), 'utf8'), [SECRET]), false, path);
    }
  });

  it('is found out of a file that keeps a search busy', { timeout: 60_000 }, () => {
    for (const part of ['a://', '%41', '?a=', '\\', ':@', 'https://x', '_', '"', 'a=b ']) {
      assert.equal(showsSecret(part.repeat(1_000_000), [SECRET]), false, part);
    }
  });
});
