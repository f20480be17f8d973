import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CACHED_READ_MS, cacheReads } from '../../../api/identity/cached-reads.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import type { ClientStore } from '../../../domain/oauth-clients/ports.ts';
import type { OrgStore } from '../../../domain/orgs/ports.ts';
import { clientRecord } from '../../ports/identity/records.ts';

test('what a slow read saw counts from its beginning: nobody gets a client that is older than a second', async (t) => {
  let nowMs = 1_000_000;
  t.mock.method(performance, 'now', () => nowMs);
  const reads: ((client: ClientRecord | null) => void)[] = [];
  const find = () => new Promise<ClientRecord | null>((resolve) => reads.push(resolve));
  const { clients } = cacheReads({ clients: { find } as unknown as ClientStore, orgs: {} as OrgStore });
  const client = clientRecord({ clientId: 'shop-prod' });

  const slow = clients.find('shop-prod');
  nowMs += CACHED_READ_MS - 1;
  const joined = clients.find('shop-prod');
  assert.equal(reads.length, 1, 'a read that has just begun is shared');
  nowMs += 2;
  const later = clients.find('shop-prod');
  assert.equal(reads.length, 2, 'one that may have seen too old a client is not');
  reads[0]?.(client);
  assert.deepEqual([await slow, await joined], [client, client]);
  reads[1]?.(null);
  assert.equal(await later, null);

  const alone = clients.find('shop-prod');
  nowMs += CACHED_READ_MS + 1;
  reads[2]?.(client);
  await alone;
  void clients.find('shop-prod');
  assert.equal(reads.length, 4, 'a read that took too long is not remembered');
});
