import assert from 'node:assert/strict';
import { it } from 'node:test';
import { changedHolder } from '../../../domain/custom-domains/custom-domain.ts';
import { heldName } from '../../ports/custom-domains/records.ts';

it('of what DNS servers and providers say, a record keeps so much', () => {
  const long = 'x'.repeat(100_000);
  const servers = Array.from({ length: 500 }, () => long);
  const { holder } = changedHolder(heldName(), {
    ...{ reason: long, resolvedTarget: long },
    zone: {
      id: 'z',
      name: 'a.com',
      status: 'pending',
      created: true,
      nameServers: servers,
      originalNameServers: servers,
    },
  });
  assert.ok(JSON.stringify(holder).length < 80_000);
  assert.deepEqual([holder.reason?.length, holder.zone?.nameServers.length], [2_000, 16]);
  assert.equal(changedHolder(heldName(), { reason: 'short' }).holder.reason, 'short');
});
