import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import type {
  LegacyVault,
  LockerSource,
  SecretDestination,
  SecretOrigin,
  SecretSource,
} from '../../domain/config/secret-import.ts';
import { requireSecretCipher } from '../../domain/config/variable-change.ts';
import { type ErrorCode, FairleadError } from '../../domain/errors.ts';

export interface ImportDeps {
  /** Null when no CONFIG_ENCRYPTION_KEY is set. */
  readonly cipher: SecretCipher | null;
  /** Null without LOCKER_URL, or where the builder gets no tokens for it. */
  readonly locker: LockerSource | null;
  /** Null without LEGACY_VAULT_URL and LEGACY_VAULT_TOKEN. */
  readonly vault: LegacyVault | null;
}

/** What {@link importSecrets} answers with, for the documents. */
export const IMPORT_ERRORS = [
  'LOCKER_HANDLE_NOT_FOUND',
  'LOCKER_RESOLVE_FORBIDDEN',
  'LOCKER_UNREACHABLE',
  'LOCKER_NOT_CONFIGURED',
  'VAULT_ALIAS_NOT_FOUND',
  'VAULT_RESOLVE_FORBIDDEN',
  'VAULT_UNREACHABLE',
  'VAULT_NOT_CONFIGURED',
] as const satisfies readonly ErrorCode[];

export interface ImportedSecrets {
  /** All secrets in clear, those that were given as values as well. */
  readonly values: Record<string, string>;
  readonly origins: Record<string, SecretOrigin>;
  readonly warnings: string[];
}

const NO_LOCKER =
  'No locker is configured here: LOCKER_URL, IDP_URL and BUILDER_CLIENT_SECRET have to be set where the builder runs';

interface Imported {
  readonly value: string;
  readonly origin: SecretOrigin;
  readonly warning?: string;
}

/**
 * Resolves every handle and alias among the secrets of a change, for the service and the org that owns it, whoever asks
 * (spec 2, "Configuration variables and secrets", 3 and 4). What one refuses, nothing is made of.
 * @throws UNAVAILABLE when there is no key to seal with; {@link IMPORT_ERRORS}
 */
export async function importSecrets(
  deps: ImportDeps,
  { id, name, org }: Pick<ServiceRecord, 'id' | 'name' | 'org'>,
  secrets: Readonly<Record<string, string | SecretSource>>,
): Promise<ImportedSecrets> {
  const values: ImportedSecrets['values'] = {};
  const sources: [string, SecretSource][] = [];
  for (const [key, given] of Object.entries(secrets)) {
    if (typeof given === 'string') values[key] = given;
    else sources.push([key, given]);
  }
  if (sources.length === 0) return { values, origins: {}, warnings: [] };
  requireSecretCipher(deps.cipher);
  const destination = { serviceId: id, service: name, org };
  const imported = await Promise.all(
    sources.map(async ([key, source]) => [key, await importOne(deps, source, destination)] as const),
  );
  for (const [key, { value }] of imported) values[key] = value;
  return {
    values,
    origins: Object.fromEntries(imported.map(([key, { origin }]) => [key, origin])),
    warnings: imported.flatMap(([, { warning }]) => warning ?? []),
  };
}

function importOne(deps: ImportDeps, source: SecretSource, destination: SecretDestination): Promise<Imported> {
  if ('vaultAlias' in source) return importByAlias(deps, source.vaultAlias, destination);
  return importFromLocker(deps, source.lockerHandle, destination);
}

async function importFromLocker(
  { locker }: ImportDeps,
  handle: string,
  destination: SecretDestination,
): Promise<Imported> {
  if (locker === null) throw new FairleadError('LOCKER_NOT_CONFIGURED', NO_LOCKER);
  const { value } = await locker.resolve({ handle }, destination);
  return { value, origin: { kind: 'locker', name: handle } };
}

/** The locker first; the legacy vault only for what the locker says it has not. Any other answer of the locker is the answer. */
async function importByAlias(deps: ImportDeps, alias: string, destination: SecretDestination): Promise<Imported> {
  const found = await deps.locker?.resolve({ legacyAlias: alias }, destination).catch((error: unknown) => {
    if (error instanceof FairleadError && error.code === 'LOCKER_HANDLE_NOT_FOUND') return undefined;
    throw error;
  });
  if (found !== undefined) return { value: found.value, origin: { kind: 'locker', name: found.handle } };
  if (deps.vault === null) {
    const message = `The locker of ${destination.org} has nothing under the alias ${alias}, and no legacy vault is configured here`;
    throw new FairleadError('VAULT_NOT_CONFIGURED', message);
  }
  const value = await deps.vault.resolve(alias, destination);
  const warning = `${alias} was copied from the legacy vault, which is deprecated: put it into the locker of ${destination.org}`;
  return { value, origin: { kind: 'vault', name: alias }, warning };
}
