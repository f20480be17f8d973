import { newId } from '../../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../../adapters/crypto/secret-cipher.ts';
import { lockerSection } from '../../adapters/env/locker.ts';
import { createOrgDirectory } from '../../adapters/idp/org-directory.ts';
import { createAuditTrail } from '../../adapters/mongo/audit/audit-trail.ts';
import { createLockerStore } from '../../adapters/mongo/locker/items.ts';
import { createLockerIndexes } from '../../adapters/mongo/locker-database.ts';
import { createReencryptionCommands } from '../../adapters/temporal/reencryption-commands.ts';
import { LOCKER_KINDS } from '../../domain/config/messages.ts';
import { createLockerApp } from '../locker-app.ts';
import { defineService } from '../service-definition.ts';
import { toldToLedger } from './told-to-ledger.ts';

const now = () => new Date();

/**
 * The locker: credentials that the builder copies into the variables of services. It asks the identity provider which orgs there are. It answers without Temporal, which changes its key.
 */
export const locker = defineService({
  name: 'locker',
  section: lockerSection,
  needs: ['mongo'],
  requestsPerMinute: 1_200,
  async compose(parts) {
    const { env, app, settings, temporal } = parts;
    const { idp: url } = settings.urls;
    const { db } = parts.mongo;
    await createLockerIndexes(db);
    const deps = {
      items: createLockerStore({ db }),
      cipher: createSecretCipher(env.LOCKER_ENCRYPTION_KEY, 'LOCKER_ENCRYPTION_KEY'),
      audit: toldToLedger(createAuditTrail({ db, now }), parts, { now, namespace: 'locker' }),
      orgs: url === undefined ? null : createOrgDirectory({ url, internalKey: settings.providerKey }),
      newId,
      now,
      reencryption: createReencryptionCommands(temporal(), LOCKER_KINDS),
      resolvers: env.LOCKER_RESOLVE_CLIENTS,
    };
    return { app: createLockerApp(deps, app) };
  },
});
