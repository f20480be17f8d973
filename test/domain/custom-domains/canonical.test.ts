import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { counterpartOf, redirectOf } from '../../../domain/custom-domains/canonical.ts';
import type { DomainHolder } from '../../../domain/custom-domains/custom-domain.ts';
import { AT, heldName, holder } from '../../ports/custom-domains/records.ts';

const SERVED = { state: 'active', ownedSince: AT, verifiedAt: AT } as const;
const apex = (changes: Partial<DomainHolder> = {}) =>
  heldName({ ...SERVED, canonical: true, ...changes }, { domain: 'example.com', apex: 'example.com' });
const www = (changes: Partial<DomainHolder> = {}) => holder({ ...SERVED, ...changes });

describe('the canonical one of two names', () => {
  it('is with www. or without', () => {
    assert.deepEqual(['example.com', 'www.example.com'].map(counterpartOf), ['www.example.com', 'example.com']);
    assert.equal(counterpartOf('www.shop.example.com'), 'shop.example.com');
    assert.equal(counterpartOf('www.co.uk'), 'co.uk');
  });

  it('is none where the other is no host', () => {
    assert.equal(counterpartOf('www.com'), null);
    const longest = `${'a'.repeat(63)}.`.repeat(3);
    assert.equal(counterpartOf(`${longest}${'b'.repeat(55)}.com`), null);
  });

  it('has the other led to it once both are served', () => assert.equal(redirectOf(www(), apex()), 'example.com'));

  const none: readonly (readonly [what: string, holder: DomainHolder, other: ReturnType<typeof apex> | null])[] = [
    ['nobody has it', www(), null],
    ['it is not said to be the canonical one', www(), apex({ canonical: false })],
    ['both are', www({ canonical: true }), apex()],
    ['it is another service’s', www(), apex({ serviceId: 'svc_2' })],
    ['it is of another environment', www(), apex({ environment: 'uat' })],
    ['it is not served yet', www(), apex({ state: 'pending-certificate', verifiedAt: null })],
    ['it leads elsewhere', www(), apex({ state: 'pending-dns' })],
    ['it is being removed', www(), apex({ removingSince: AT })],
    ['the other is not served yet', www({ state: 'pending-certificate', verifiedAt: null }), apex()],
    ['others serve its TLS', www(), apex({ mode: 'cloudflare' })],
  ];
  for (const [what, from, to] of none) it(`has none where ${what}`, () => assert.equal(redirectOf(from, to), null));
});
