import { createTokenVerifier, type TokenVerifier } from '../sdk/index.ts';

/** Where the identity provider is, and the key that reads its denylist. */
export interface ProviderEnv {
  readonly IDP_URL?: string | undefined;
  readonly IDP_INTERNAL_KEY?: string | undefined;
  readonly INTERNAL_SERVICE_KEY: string;
}

/** Verifies tokens for one of the platform's own services; null without an identity provider: the internal key alone counts. */
export function createPlatformVerifier(env: ProviderEnv, audience: string): TokenVerifier | null {
  if (env.IDP_URL === undefined) return null;
  const internalKey = env.IDP_INTERNAL_KEY ?? env.INTERNAL_SERVICE_KEY;
  return createTokenVerifier({ idpUrl: env.IDP_URL, audience, revocations: { internalKey } });
}
