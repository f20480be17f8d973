import { createIdentityActivities, type IdentityActivities } from '../activities/identity/index.ts';
import type { WorkerEnv } from '../adapters/env.ts';
import { createIdpCall } from '../adapters/idp/idp-call.ts';
import { createKeyRotator } from '../adapters/idp/key-rotator.ts';

/** Activities of `identity`; null where no identity provider is known, which then has no schedules. */
export function composeIdentity(env: WorkerEnv): IdentityActivities | null {
  const internalKey = env.IDP_INTERNAL_KEY ?? env.INTERNAL_SERVICE_KEY;
  if (env.IDP_URL === undefined || internalKey === undefined) return null;
  return createIdentityActivities({ keys: createKeyRotator(createIdpCall({ url: env.IDP_URL, internalKey })) });
}
