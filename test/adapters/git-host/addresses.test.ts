import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PROVIDER_APIS } from '../../../adapters/git-host/provider-apis.ts';
import { hostOfRepository } from '../../../domain/git-identities/git-host-name.ts';
import type { GitProvider } from '../../../domain/git-provider.ts';

const TABLE: readonly [provider: GitProvider, address: string, base: string | null, repository: string | null][] = [
  ['github', 'https://github.com/acme/shop.git', 'https://api.github.com', '/repos/acme/shop'],
  ['github', 'https://git.example/acme/shop', 'https://git.example/api/v3', '/repos/acme/shop'],
  ['github', 'https://github.com/acme/shop.js', 'https://api.github.com', '/repos/acme/shop.js'],
  ['github', 'https://github.com/acme', null, null],
  ['github', 'https://github.com/a/acme/shop', 'https://api.github.com', null],
  ['gitea', 'https://git.example/acme/shop.git', 'https://git.example/api/v1', '/repos/acme/shop'],
  ['gitea', 'https://git.example:3000/code/acme/shop', 'https://git.example:3000/code/api/v1', '/repos/acme/shop'],
  ['gitea', 'https://git.example/acme', null, null],
  ['forgejo', 'https://codeberg.org/acme/shop', 'https://codeberg.org/api/v1', '/repos/acme/shop'],
  ['gitlab', 'https://gitlab.com/acme/shop.git', 'https://gitlab.com/api/v4', '/projects/acme%2Fshop'],
  ['gitlab', 'https://gitlab.com/acme/web/shop', 'https://gitlab.com/api/v4', '/projects/acme%2Fweb%2Fshop'],
  ['gitlab', 'https://gitlab.com/acme%2F..%2Fx/shop', 'https://gitlab.com/api/v4', '/projects/acme%2F..%2Fx%2Fshop'],
  ['gitlab', 'https://gitlab.com/acme', null, null],
];

function baseOf(provider: GitProvider, address: string): string | null {
  const host = hostOfRepository(provider, address);
  return host === null ? null : PROVIDER_APIS[provider].base(new URL(host.address));
}

for (const [provider, address, base, repository] of TABLE) {
  it(`finds the API of ${address} at ${provider}`, () => {
    const api = PROVIDER_APIS[provider];
    assert.deepEqual([baseOf(provider, address), api.repository(new URL(address))], [base, repository]);
  });
}
