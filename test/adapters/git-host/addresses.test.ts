import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PROVIDER_APIS } from '../../../adapters/git-host/provider-apis.ts';
import type { GitProvider } from '../../../domain/git-provider.ts';

const TABLE: readonly [provider: GitProvider, address: string, base: string, repository: string | null][] = [
  ['github', 'https://github.com/acme/shop.git', 'https://api.github.com', '/repos/acme/shop'],
  ['github', 'https://git.example/acme/shop', 'https://git.example/api/v3', '/repos/acme/shop'],
  ['github', 'https://github.com/acme/shop.js', 'https://api.github.com', '/repos/acme/shop.js'],
  ['github', 'https://github.com/acme', 'https://api.github.com', null],
  ['github', 'https://github.com/a/acme/shop', 'https://api.github.com', null],
  ['gitea', 'https://git.example/acme/shop.git', 'https://git.example/api/v1', '/repos/acme/shop'],
  ['gitea', 'https://git.example:3000/code/acme/shop', 'https://git.example:3000/code/api/v1', '/repos/acme/shop'],
  ['gitea', 'https://git.example/acme', 'https://git.example/acme/api/v1', null],
  ['forgejo', 'https://codeberg.org/acme/shop', 'https://codeberg.org/api/v1', '/repos/acme/shop'],
  ['gitlab', 'https://gitlab.com/acme/shop.git', 'https://gitlab.com/api/v4', '/projects/acme%2Fshop'],
  ['gitlab', 'https://gitlab.com/acme/web/shop', 'https://gitlab.com/api/v4', '/projects/acme%2Fweb%2Fshop'],
  ['gitlab', 'https://gitlab.com/acme%2F..%2Fx/shop', 'https://gitlab.com/api/v4', '/projects/acme%2F..%2Fx%2Fshop'],
  ['gitlab', 'https://gitlab.com/acme', 'https://gitlab.com/api/v4', null],
];

for (const [provider, address, base, repository] of TABLE) {
  it(`finds the API of ${address} at ${provider}`, () => {
    const api = PROVIDER_APIS[provider];
    assert.deepEqual([api.base(new URL(address)), api.repository(new URL(address))], [base, repository]);
  });
}
