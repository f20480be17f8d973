import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createChallengeRecords } from '../../../domain/custom-domains/challenge-records.ts';
import { createInMemoryDnsProvider } from '../../support/in-memory/domain-zones.ts';

const NAME = '_acme-challenge.apps.example.co.uk';

it('challenges stand side by side in the zone of the registrable domain, and go one by one', async () => {
  const provider = createInMemoryDnsProvider();
  provider.add('example.co.uk', 'active');
  provider.put('example.co.uk', NAME, [{ type: 'TXT', content: '"of somebody"' }]);
  const records = createChallengeRecords(provider.zonesOf('default'));
  const texts = () => provider.recordsOf(NAME).map(({ content }) => content);
  for (const value of ['one', 'two', 'one']) await records.put(`${NAME}.`, value);
  assert.deepEqual(texts(), ['"of somebody"', '"one"', '"two"']);
  for (const value of ['one', 'one', 'of somebody']) await records.remove(NAME, value);
  assert.deepEqual(texts(), ['"of somebody"', '"two"']);
});

it('a name in no zone of the account is refused', async () => {
  const records = createChallengeRecords(createInMemoryDnsProvider().zonesOf('default'));
  await assert.rejects(records.put(NAME, 'one'), { code: 'DNS_PROVIDER_REFUSED' });
  await assert.rejects(records.put('_acme-challenge.co.uk', 'one'), { code: 'DNS_PROVIDER_REFUSED' });
});
