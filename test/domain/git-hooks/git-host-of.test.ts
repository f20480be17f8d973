import assert from 'node:assert/strict';
import { it } from 'node:test';
import { canDeliver, checkProvider } from '../../../domain/git-hooks/git-host-of.ts';
import type { GitProvider } from '../../../domain/git-provider.ts';

const FOLDER = '/srv/git/shop.git';

for (const [repository, provider, pollMinutes, refusal] of [
  ['https://github.com/acme/shop', 'github', null, null],
  ['https://github.com/acme/shop', 'gitea', null, /^provider: github\.com is no gitea: give github as the provider$/],
  ['https://www.github.com/acme/shop', 'gitlab', 5, /^provider: github\.com is no gitlab/],
  ['https://gitlab.com/acme/web/shop', 'github', null, /give gitlab/],
  ['https://codeberg.org/acme/shop', 'forgejo', null, null],
  ['https://codeberg.org/acme/shop', 'gitea', null, null],
  ['https://codeberg.org/acme/shop', 'github', null, /give forgejo or gitea/],
  ['https://git.acme.example/shop', 'gitea', null, null],
  ['https://git.acme.example/shop', 'github', null, null],
  ['https://github.com.evil.example/shop', 'gitea', null, null],
  ['https://constructor/shop', 'gitea', null, null],
  [
    'https://bitbucket.org/acme/shop',
    'github',
    null,
    /^pollMinutes: nothing can deliver pushes from bitbucket\.org: .*--poll 5m/,
  ],
  ['https://bitbucket.org/acme/shop', 'github', 5, null],
  [
    FOLDER,
    'gitea',
    null,
    /^pollMinutes: nothing can deliver pushes from a folder of the builder's machine: .*--poll 5m/,
  ],
  [FOLDER, 'gitea', 5, null],
] as const satisfies readonly (readonly [string, GitProvider, number | null, RegExp | null])[]) {
  it(`${repository} of ${provider}, polled every ${pollMinutes ?? 'no'} minutes, is ${refusal === null ? 'taken' : 'refused'}`, () => {
    const check = () => checkProvider(repository, { provider, pollMinutes });
    if (refusal === null) assert.doesNotThrow(check);
    else assert.throws(check, { code: 'VALIDATION_FAILED', message: refusal });
  });
}

it('nothing delivers from a folder, and from a host whose API is none of ours', () => {
  const rows = [FOLDER, 'https://bitbucket.org/a/b', 'https://github.com/a/b', 'https://git.example/a'].map(canDeliver);
  assert.deepEqual(rows, [false, false, true, true]);
});
