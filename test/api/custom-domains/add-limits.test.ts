import assert from 'node:assert/strict';
import { it } from 'node:test';
import { claimDomain } from '../../../activities/custom-domains/claim-domain.ts';
import { createAddLimits } from '../../../api/custom-domains/add-limits.ts';
import { createCustomDomainsParts } from '../../support/custom-domains-parts.ts';

it('an org asks so often for a name that another service has, and goes on with other names', async () => {
  const { deps, services, request, ofBlog } = await createCustomDomainsParts();
  const limits = createAddLimits({ domains: deps.domains, services });
  for (const domain of ['a.taken.com', 'b.taken.com']) await claimDomain(deps, request(domain), new Date());
  const ask = (domain: string) => limits.requireChance(request(domain, ofBlog));
  for (let asked = 0; asked < 6; asked += 1) await ask('a.taken.com');
  await assert.rejects(ask('a.taken.com'), { code: 'RATE_LIMITED' });
  await ask('b.taken.com');
  for (let asked = 0; asked < 20; asked += 1) await limits.requireChance(request('a.taken.com'));
});

it('an org adds so many names in a minute, from whatever addresses; of another org nothing is used up', async () => {
  const { deps, services } = await createCustomDomainsParts();
  const limits = createAddLimits({ domains: deps.domains, services });
  for (let added = 0; added < 60; added += 1) limits.requireShare('globex');
  assert.throws(() => limits.requireShare('globex'), { code: 'RATE_LIMITED' });
  limits.requireShare('acme');
});
