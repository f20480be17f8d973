import { after } from 'node:test';
import { createIdentityIndexes, createIdentityStores } from '../../../../adapters/mongo/identity-database.ts';
import type { Clock } from '../../../../domain/clock.ts';
import { attemptStoreSuite } from '../../../ports/identity/attempt-store.ts';
import { auditTrailSuite } from '../../../ports/identity/audit-trail.ts';
import { authorizationCodeStoreSuite } from '../../../ports/identity/authorization-code-store.ts';
import { clientStoreSuite } from '../../../ports/identity/client-store.ts';
import { consentStoreSuite } from '../../../ports/identity/consent-store.ts';
import { deviceAuthorizationStoreSuite } from '../../../ports/identity/device-authorization-store.ts';
import { grantStoreSuite } from '../../../ports/identity/grant-store.ts';
import { inviteStoreSuite } from '../../../ports/identity/invite-store.ts';
import { membershipStoreSuite } from '../../../ports/identity/membership-store.ts';
import { oneTimeLinkStoreSuite } from '../../../ports/identity/one-time-link-store.ts';
import { orgGrantStoreSuite } from '../../../ports/identity/org-grant-store.ts';
import { orgStoreSuite } from '../../../ports/identity/org-store.ts';
import { revocationStoreSuite } from '../../../ports/identity/revocation-store.ts';
import { sessionStoreSuite } from '../../../ports/identity/session-store.ts';
import { signingKeyStoreSuite } from '../../../ports/identity/signing-key-store.ts';
import { userFactorsSuite } from '../../../ports/identity/user-factors.ts';
import { userStoreSuite } from '../../../ports/identity/user-store.ts';
import { startMongo } from '../../../support/start-mongo.ts';

const mongo = await startMongo();
after(() => mongo.stop());
await createIdentityIndexes(mongo.connection.db);

type Stores = ReturnType<typeof createIdentityStores>;

/** A store with a clock of its own: two of them see one database at two moments. */
const storeOf =
  <K extends keyof Stores>(name: K) =>
  (now: Clock = () => new Date()): Stores[K] =>
    createIdentityStores({ db: mongo.connection.db, now })[name];

clientStoreSuite(storeOf('clients'));
userStoreSuite(storeOf('users'));
userFactorsSuite(storeOf('users'));
sessionStoreSuite(storeOf('sessions'));
grantStoreSuite(storeOf('grants'));
authorizationCodeStoreSuite(storeOf('codes'));
deviceAuthorizationStoreSuite(storeOf('devices'));
consentStoreSuite(storeOf('consents'));
oneTimeLinkStoreSuite(storeOf('links'));
attemptStoreSuite(storeOf('attempts'));
revocationStoreSuite(storeOf('revocations'));
signingKeyStoreSuite(storeOf('signingKeys'));
orgStoreSuite(storeOf('orgs'));
membershipStoreSuite(storeOf('memberships'));
inviteStoreSuite(storeOf('invites'));
orgGrantStoreSuite(storeOf('orgGrants'));
auditTrailSuite(storeOf('audit'));
