import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { newId } from '../../../../adapters/crypto/new-id.ts';
import { createWalletStore } from '../../../../adapters/mongo/wallet/wallet-store.ts';
import { createWalletIndexes } from '../../../../adapters/mongo/wallet-database.ts';
import { createWalletLedger } from '../../../../api/wallet/wallet-ledger.ts';
import { INTRO_TOKENS, totalOf } from '../../../../domain/wallet/balances.ts';
import { walletStoreSuite } from '../../../ports/wallet/wallet-store.ts';
import { startMongo, type TestMongo } from '../../../support/start-mongo.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
  await createWalletIndexes(mongo.connection.db);
});
after(() => mongo.stop());

const store = () => createWalletStore({ db: mongo.connection.db });

walletStoreSuite(store);

it('two processes on one database give intro tokens once, and make 60 movements under 30 keys once each', async () => {
  const now = () => new Date();
  const process = () => createWalletLedger({ store: store(), newId, now, orgs: null });
  const processes = [process(), process()];
  const made = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      processes[index % 2]?.move('busy', {
        ...{ kind: 'debit', amount: 10, reason: 'a call', actor: 'gateway' },
        idempotencyKey: `call-${Math.floor(index / 2)}`,
      }),
    ),
  );
  assert.equal(new Set(made.map((entry) => entry?.id)).size, 30);
  const { items } = await process().listEntries('busy', { cursor: null, limit: 200 });
  assert.equal(items.length, 31);
  assert.equal(totalOf((await process().readAccount('busy')).balances), INTRO_TOKENS - 300);
});
