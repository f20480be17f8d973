import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import type { EdgeRouter } from '../../domain/deploys/workload-runtime.ts';
import type { ClientAdministration } from '../../domain/oauth-clients/administration-port.ts';

/** What the builder's routes for OAuth clients work with. */
export interface BuilderClientsDeps {
  readonly services: ServiceStore;
  /** The identity provider's clients; null when no provider is configured. */
  readonly clients: ClientAdministration | null;
  /** Null when no CONFIG_ENCRYPTION_KEY is set. */
  readonly cipher: SecretCipher | null;
  readonly publicUrl: EdgeRouter['url'];
}
