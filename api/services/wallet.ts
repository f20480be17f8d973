import { newId } from '../../adapters/crypto/new-id.ts';
import { createOrgDirectory } from '../../adapters/idp/org-directory.ts';
import { createAuditTrail } from '../../adapters/mongo/audit/audit-trail.ts';
import { createWalletStore } from '../../adapters/mongo/wallet/wallet-store.ts';
import { createWalletIndexes } from '../../adapters/mongo/wallet-database.ts';
import { defineService } from '../service-definition.ts';
import { createWalletLedger } from '../wallet/wallet-ledger.ts';
import { createWalletApp } from '../wallet-app.ts';
import { toldToLedger } from './told-to-ledger.ts';

const now = () => new Date();

/** The wallet. It asks the identity provider which orgs there are, and tells the audit ledger of credits. */
export const wallet = defineService({
  name: 'wallet',
  section: {},
  needs: ['mongo'],
  // The gateway takes tokens for each priced call.
  requestsPerMinute: 120_000,
  async compose(parts) {
    const { settings, mongo, app } = parts;
    await createWalletIndexes(mongo.db);
    const { idp: url } = settings.urls;
    const orgs = url === undefined ? null : createOrgDirectory({ url, internalKey: settings.providerKey });
    const ledger = createWalletLedger({ store: createWalletStore(mongo), newId, now, orgs });
    // Credits are recorded in the wallet's own database, and brought to the audit ledger from there.
    const audit = toldToLedger(createAuditTrail({ db: mongo.db, now }), parts, { now, namespace: 'wallet' });
    return { app: createWalletApp({ ledger, audit }, app) };
  },
});
