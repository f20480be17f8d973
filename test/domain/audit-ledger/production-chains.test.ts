import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertEnoughChains } from '../../../domain/audit-ledger/production-chains.ts';

it('production with fewer than two chains is refused, and a stack on one machine is not', () => {
  for (const chains of [[], [1]]) {
    assert.throws(() => assertEnoughChains('https://audit.example.org', chains), { code: 'VALIDATION_FAILED' });
    assertEnoughChains('http://localhost:3005', chains);
  }
  assertEnoughChains('https://audit.example.org', [1, 137]);
});
