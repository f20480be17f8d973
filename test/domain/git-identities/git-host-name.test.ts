import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hostOfRepository, parseHost } from '../../../domain/git-identities/git-host-name.ts';
import type { GitProvider } from '../../../domain/git-provider.ts';

describe('the name of a git host', () => {
  const SAME: readonly [provider: GitProvider, address: string, repository: string, key: string][] = [
    ['github', 'https://GitHub.com/', 'https://github.com/acme/shop.git', 'github github.com'],
    ['gitea', 'https://git.example:3000', 'https://git.example:3000/acme/shop', 'gitea git.example:3000'],
    ['gitea', 'http://git.example/code/', 'http://git.example/code/acme/shop.git', 'gitea git.example/code'],
    ['forgejo', 'https://git.example', 'https://git.example/acme/shop/', 'gitea git.example'],
    ['gitlab', 'https://gitlab.com', 'https://gitlab.com/acme/web/shop', 'gitlab gitlab.com'],
  ];
  for (const [provider, address, repository, key] of SAME) {
    it(`is ${key} for ${address} and for ${repository}`, () => {
      assert.equal(parseHost(provider, address).key, key);
      assert.deepEqual(hostOfRepository(provider, repository), parseHost(provider, address));
    });
  }

  it('is another one below a path that somebody may write to', () => {
    const own = parseHost('gitea', 'https://gitlab.com/evil/pages/-/raw/main');
    assert.notEqual(own.key, hostOfRepository('gitlab', 'https://gitlab.com/acme/shop')?.key);
    assert.notEqual(own.key, hostOfRepository('gitea', 'https://gitlab.com/acme/shop')?.key);
  });

  const REFUSED: readonly [GitProvider, string][] = [
    ['github', 'https://github.com/acme'],
    ['gitlab', 'https://gitlab.com/acme/shop'],
    ['gitea', 'https://me:canary@git.example'],
    ['gitea', 'https://git.example?canary=1'],
    ['gitea', 'https://git.example#canary'],
    ['gitea', 'git.example'],
    ['gitea', 'file:///etc'],
    ['gitea', 'nonsense canary'],
  ];
  for (const [provider, address] of REFUSED) {
    it(`refuses ${address} of ${provider}, without repeating it`, () => {
      assert.throws(
        () => parseHost(provider, address),
        (error: Error & { code?: string; details?: unknown }) =>
          error.code === 'VALIDATION_FAILED' && !/canary/.test(error.message + JSON.stringify(error.details)),
      );
    });
  }

  for (const address of ['/srv/acme/shop', 'https://github.com/acme', 'git@github.com:acme/shop', 'nonsense']) {
    it(`finds no host in ${address}`, () => assert.equal(hostOfRepository('github', address), null));
  }
});
