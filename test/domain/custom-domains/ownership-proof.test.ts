import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Claimant, ownershipProof } from '../../../domain/custom-domains/ownership-proof.ts';

const CLAIMANT: Claimant = {
  ...{ domain: 'shop.example.com', apex: 'example.com', mode: 'direct' },
  ...{ serviceId: 'svc_1', org: 'acme', claimant: 'acme' },
};
const MANAGED: Claimant = { ...CLAIMANT, mode: 'cloudflare' };

it('a proof stands at a name of its own, and is the same each time', () => {
  const proof = ownershipProof(CLAIMANT);
  assert.equal(proof.name, '_fairlead.shop.example.com');
  assert.match(proof.value, /^fairlead-verify=[0-9a-f]{40}$/);
  assert.deepEqual(ownershipProof({ ...CLAIMANT }), proof);
});

for (const other of [
  { domain: 'www.example.com' },
  { serviceId: 'svc_2' },
  { org: 'globex' },
  { claimant: 'globex' },
]) {
  it(`a proof helps nobody else: ${Object.keys(other)}`, () => {
    assert.notEqual(ownershipProof({ ...CLAIMANT, ...other }).value, ownershipProof(CLAIMANT).value);
  });
}

it('where the platform writes the records, one proof at the registrable domain is for all names and services of the org', () => {
  const proof = ownershipProof(MANAGED);
  assert.equal(proof.name, '_fairlead.example.com');
  assert.deepEqual(ownershipProof({ ...MANAGED, domain: 'www.example.com', serviceId: 'svc_2' }), proof);
  assert.notEqual(ownershipProof({ ...MANAGED, org: 'globex', claimant: 'globex' }).value, proof.value);
  assert.equal(ownershipProof({ ...MANAGED, claimant: 'globex' }).name, '_fairlead.shop.example.com');
});
