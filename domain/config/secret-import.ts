/** Where the value of a secret is to be taken from (spec 2, "Configuration variables and secrets", 3 and 4). */
export type SecretSource = { readonly lockerHandle: string } | { readonly vaultAlias: string };

/** Where a stored value was copied from. The copy does not follow its source. */
export interface SecretOrigin {
  readonly kind: 'locker' | 'vault';
  /** The handle in the locker, or the alias in the legacy vault. */
  readonly name: string;
}

/** The service that is to get a value: by id, so that a later one of the same name is another. */
export interface SecretDestination {
  readonly serviceId: string;
  readonly service: string;
  /** Slug of the org that owns the service. */
  readonly org: string;
}

/** The locker as the builder asks it. */
export interface LockerSource {
  /**
   * @returns the value, and the handle of the field that has it
   * @throws LOCKER_HANDLE_NOT_FOUND; LOCKER_RESOLVE_FORBIDDEN with the locker's code in message and details;
   *   LOCKER_UNREACHABLE (retryable) also for an answer that nobody understands
   */
  resolve(
    source: { readonly handle: string } | { readonly legacyAlias: string },
    destination: SecretDestination,
  ): Promise<{ readonly handle: string; readonly value: string }>;
}

/** The vault that was there before the locker. It decides itself who may have what. */
export interface LegacyVault {
  /** @throws VAULT_ALIAS_NOT_FOUND, VAULT_RESOLVE_FORBIDDEN, VAULT_UNREACHABLE (retryable) */
  resolve(alias: string, destination: SecretDestination): Promise<string>;
}

/** In one request. */
export const MAX_IMPORTS = 20;
