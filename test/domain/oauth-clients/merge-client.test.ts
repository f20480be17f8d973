import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { AddedEntry } from '../../../domain/oauth-clients/added-by.ts';
import { GRANT_TYPES } from '../../../domain/oauth-clients/client.ts';
import { type DerivedLists, mergeClient } from '../../../domain/oauth-clients/merge-client.ts';

interface Lists {
  readonly redirectUris: readonly string[];
  readonly allowedScopes: readonly string[];
  readonly allowedGrantTypes: readonly (typeof GRANT_TYPES)[number][];
  readonly addedEntries: readonly AddedEntry[];
}

const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 6 });
const grants = fc.array(fc.constantFrom(...GRANT_TYPES), { maxLength: 4 });
const derivedLists: fc.Arbitrary<DerivedLists> = fc.record({ redirectUris: texts, scopes: texts, grantTypes: grants });
const unique = <T>(items: fc.Arbitrary<T[]>) => items.map((list) => [...new Set(list)]);
const existingLists: fc.Arbitrary<Lists> = fc.record({
  redirectUris: unique(texts),
  allowedScopes: unique(texts),
  allowedGrantTypes: unique(grants),
  addedEntries: fc.constant([]),
});

/** What a store makes of it. */
function apply(existing: Lists, derived: DerivedLists): Lists {
  const { additions } = mergeClient(existing, derived);
  return {
    redirectUris: [...existing.redirectUris, ...(additions.redirectUris ?? [])],
    allowedScopes: [...existing.allowedScopes, ...(additions.allowedScopes ?? [])],
    allowedGrantTypes: [...existing.allowedGrantTypes, ...(additions.allowedGrantTypes ?? [])],
    addedEntries: [],
  };
}

const asSets = (lists: Lists) => Object.values(lists).map((list: readonly string[]) => [...list].sort());
const includesAll = (list: readonly string[], wanted: readonly string[]) => wanted.every((item) => list.includes(item));

describe('a deploy merges into what a client has', () => {
  it('nothing is ever removed, and all that was derived is there', () => {
    fc.assert(
      fc.property(existingLists, derivedLists, (existing, derived) => {
        const after = apply(existing, derived);
        assert.ok(includesAll(after.redirectUris, [...existing.redirectUris, ...derived.redirectUris]));
        assert.ok(includesAll(after.allowedScopes, [...existing.allowedScopes, ...derived.scopes]));
        assert.ok(includesAll(after.allowedGrantTypes, [...existing.allowedGrantTypes, ...derived.grantTypes]));
        for (const list of Object.values(after)) assert.equal(new Set(list).size, list.length, 'each once');
      }),
    );
  });

  it('a second deploy of the same adds nothing', () => {
    fc.assert(
      fc.property(existingLists, derivedLists, (existing, derived) => {
        assert.deepEqual(mergeClient(apply(existing, derived), derived).additions, {});
      }),
    );
  });

  it('two deploys end in the same client whichever came first', () => {
    fc.assert(
      fc.property(existingLists, derivedLists, derivedLists, (existing, one, other) => {
        assert.deepEqual(asSets(apply(apply(existing, one), other)), asSets(apply(apply(existing, other), one)));
      }),
    );
  });

  it('what it preserves is exactly what it did not derive', () => {
    fc.assert(
      fc.property(existingLists, derivedLists, (existing, derived) => {
        const { preserved } = mergeClient(existing, derived);
        assert.deepEqual(
          preserved.scopes,
          existing.allowedScopes.filter((scope) => !derived.scopes.includes(scope)),
        );
        assert.deepEqual(
          preserved.redirectUris,
          existing.redirectUris.filter((uri) => !derived.redirectUris.includes(uri)),
        );
      }),
    );
  });

  it('a scope granted by hand and a local URI survive, and a dropped dependency keeps its scope', () => {
    const existing: Lists = {
      redirectUris: ['https://shop.example/api/auth/callback', 'http://localhost:3000/api/auth/callback'],
      allowedScopes: ['openid', 'profile', 'email', 'mailer:send', 'personas:mint'],
      allowedGrantTypes: ['client_credentials'],
      addedEntries: [],
    };
    const { additions, preserved } = mergeClient(existing, {
      redirectUris: ['https://shop.example/api/auth/callback'],
      scopes: ['openid', 'profile', 'email'],
      grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    });
    assert.deepEqual(additions, { allowedGrantTypes: ['authorization_code', 'refresh_token'] });
    assert.deepEqual(preserved.scopes, ['mailer:send', 'personas:mint']);
    assert.deepEqual(preserved.redirectUris, ['http://localhost:3000/api/auth/callback']);
  });

  it('a redirect URI that was there by hand and is derived as well is added, so that it becomes the deploy’s', () => {
    const [derived, other] = ['https://shop.example/api/auth/callback', 'http://localhost:3000/api/auth/callback'];
    const by = { org: 'helpers', actor: 'usr_eve', sharingRevision: 1 };
    const entry = (value: string) => ({ list: 'redirectUris', value, ...by }) as const;
    const addedEntries = [entry(derived), entry(other), { ...entry(derived), list: 'customDomains' as const }];
    const existing = { redirectUris: [derived, other], allowedScopes: [], allowedGrantTypes: [], addedEntries };
    const { additions, preserved } = mergeClient(existing, { redirectUris: [derived], scopes: [], grantTypes: [] });
    assert.deepEqual([additions, preserved.redirectUris], [{ redirectUris: [derived] }, [other]]);
  });
});
