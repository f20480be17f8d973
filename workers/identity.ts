import { createIdentityActivities } from '../activities/identity/index.ts';
import { createIdpCall } from '../adapters/idp/idp-call.ts';
import { createKeyRotator } from '../adapters/idp/key-rotator.ts';
import { identitySchedules } from '../workflows/identity/schedules.ts';
import { defineModule } from './module.ts';

/** What is due for the identity provider's keys. Its settings: the provider's address and its internal key. */
export const identity = defineModule({
  name: 'identity',
  section: {},
  schedules: identitySchedules,
  queue: 'own',
  slots: () => 2,
  async compose({ settings: { urls, providerKey } }) {
    if (urls.idp === undefined || providerKey === undefined) return null;
    return createIdentityActivities({
      keys: createKeyRotator(createIdpCall({ url: urls.idp, internalKey: providerKey })),
    });
  },
});
