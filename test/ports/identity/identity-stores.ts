import { createIdentityIndexes, createIdentityStores } from '../../../adapters/mongo/identity-database.ts';
import type { Clock } from '../../../domain/clock.ts';
import type { TestMongo } from '../../support/start-mongo.ts';
import { attemptStoreSuite } from './attempt-store.ts';
import { auditTrailSuite } from './audit-trail.ts';
import { authorizationCodeStoreSuite } from './authorization-code-store.ts';
import { clientStoreSuite } from './client-store.ts';
import { consentStoreSuite } from './consent-store.ts';
import { deviceAuthorizationStoreSuite } from './device-authorization-store.ts';
import { grantStoreSuite } from './grant-store.ts';
import { inviteStoreSuite } from './invite-store.ts';
import { membershipStoreSuite } from './membership-store.ts';
import { oneTimeLinkStoreSuite } from './one-time-link-store.ts';
import { orgGrantStoreSuite } from './org-grant-store.ts';
import { orgStoreSuite } from './org-store.ts';
import { revocationStoreSuite } from './revocation-store.ts';
import { sessionStoreSuite } from './session-store.ts';
import { signingKeyStoreSuite } from './signing-key-store.ts';
import { userFactorsSuite } from './user-factors.ts';
import { userStoreSuite } from './user-store.ts';

type Stores = ReturnType<typeof createIdentityStores>;

/** The suites of all stores of the identity provider, on one database. */
export async function identityStoresSuite(mongo: TestMongo): Promise<void> {
  const { db } = mongo.connection;
  await createIdentityIndexes(db);
  /** A store with a clock of its own: two of them see one database at two moments. */
  const storeOf =
    <K extends keyof Stores>(name: K) =>
    (now: Clock = () => new Date()): Stores[K] =>
      createIdentityStores({ db, now })[name];

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
}
