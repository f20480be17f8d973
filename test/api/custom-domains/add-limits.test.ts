import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAddLimits } from '../../../api/custom-domains/add-limits.ts';
import { createCustomDomainsParts } from '../../support/custom-domains-parts.ts';

it('an org adds so many names in a minute, from whatever addresses; of another org nothing is used up', async () => {
  const { deps, services } = await createCustomDomainsParts();
  const limits = createAddLimits({ domains: deps.domains, services });
  for (let added = 0; added < 60; added += 1) limits.requireShare('globex');
  assert.throws(() => limits.requireShare('globex'), { code: 'RATE_LIMITED' });
  limits.requireShare('acme');
});
