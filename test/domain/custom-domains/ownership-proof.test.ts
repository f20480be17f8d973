import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ownershipProof } from '../../../domain/custom-domains/ownership-proof.ts';

const CLAIMANT = { domain: 'shop.example.com', serviceId: 'svc_1', org: 'acme' };

it('a proof stands at a name of its own, and is the same each time', () => {
  const proof = ownershipProof(CLAIMANT);
  assert.equal(proof.name, '_fairlead.shop.example.com');
  assert.match(proof.value, /^fairlead-verify=[0-9a-f]{40}$/);
  assert.deepEqual(ownershipProof({ ...CLAIMANT }), proof);
});

for (const other of [{ domain: 'www.example.com' }, { serviceId: 'svc_2' }, { org: 'globex' }]) {
  it(`a proof helps nobody else: ${Object.keys(other)}`, () => {
    assert.notEqual(ownershipProof({ ...CLAIMANT, ...other }).value, ownershipProof(CLAIMANT).value);
  });
}
