import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { changeConfig } from '../../../api/catalog/change-config.ts';
import { putService } from '../../../api/catalog/put-service.ts';
import { changeConfigBodySchema } from '../../../domain/config/config-schema.ts';
import { createInMemoryServiceStore } from '../../support/in-memory/service-store.ts';
import { createInMemoryVariableHistory } from '../../support/in-memory/variable-history.ts';

const WRITERS = 4;
const PLATFORM = { kind: 'internal', org: 'platform', name: 'internal' } as const;

const many = (prefix: number) =>
  Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`V${prefix}_${index}`, 'v']));

/** A service, and a store by which each of the first {@link WRITERS} looks at it before any of them writes. */
async function shop() {
  const store = createInMemoryServiceStore({ now: () => new Date(0) });
  const { service } = await store.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
  let looks = 0;
  const everyoneLooked = Promise.withResolvers<void>();
  const find: typeof store.find = async (id) => {
    const found = await store.find(id);
    looks += 1;
    if (looks === WRITERS) everyoneLooked.resolve();
    await everyoneLooked.promise;
    return found;
  };
  const history = createInMemoryVariableHistory();
  const deps = {
    services: { ...store, find },
    history,
    cipher: null,
    locker: null,
    vault: null,
    newId,
    now: () => new Date(0),
  };
  return { deps, service, store };
}

const outcome = (results: readonly PromiseSettledResult<unknown>[]) =>
  results.map((result) => (result.status === 'fulfilled' ? 'made' : result.reason.code)).sort();

const THREE_OF_FOUR = ['VALIDATION_FAILED', 'made', 'made', 'made'];

it('changes of variables that all looked at the service first keep its bounds together', async () => {
  const { deps, service, store } = await shop();
  const changes = Array.from({ length: WRITERS }, (_, index) => {
    const body = changeConfigBodySchema.parse({ environment: index % 2 === 0 ? null : 'uat', set: many(index) });
    return changeConfig({ ...deps, services: store }, service, { body, changedBy: 'usr_ada' });
  });
  assert.deepEqual(outcome(await Promise.allSettled(changes)), THREE_OF_FOUR);
});

it('registrations of one service that all looked at it first keep its bounds together', async () => {
  const { deps, store } = await shop();
  const all = { ...deps, platformGitUrl: null, localSourcesRoot: null };
  const puts = Array.from({ length: WRITERS }, (_, index) =>
    putService(all, PLATFORM, { name: 'shop', config: many(index) }),
  );
  assert.deepEqual(outcome(await Promise.allSettled(puts)), THREE_OF_FOUR);
  assert.equal(Object.keys((await store.find('shop'))?.config ?? {}).length, 300);
});
