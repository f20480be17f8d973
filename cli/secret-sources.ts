import { legacyAliasSchema } from '../domain/locker-handle.ts';
import { usageFailure } from './cli-failure.ts';
import { readHandle } from './locker-api.ts';

export interface SourceOptions {
  /** Names of the secrets. */
  readonly secret: readonly string[];
  readonly fromLocker: readonly string[];
  readonly fromVault: readonly string[];
}

type SecretSource = { readonly lockerHandle: string } | { readonly vaultAlias: string };

/**
 * Where secrets are to be copied from: one handle or alias for each --secret, in their order. Null when none was given.
 * Nothing that was typed in the wrong place is repeated: it may be a value.
 * @throws CliFailure with exit `usage`
 */
export function secretSources(
  { secret, fromLocker, fromVault }: SourceOptions,
  assignments: readonly string[],
): Readonly<Record<string, SecretSource>> | null {
  const sources: readonly SecretSource[] = [
    ...fromLocker.map((handle) => ({ lockerHandle: handle })),
    ...fromVault.map((alias) => ({ vaultAlias: alias })),
  ];
  if (sources.length === 0) return null;
  if (fromLocker.length > 0 && fromVault.length > 0) {
    throw usageFailure('Give --from-locker or --from-vault, not both.', 'Set the others in a command of their own.');
  }
  if (assignments.length > 0 || secret.some((name) => name.includes('='))) {
    const remedy = 'Write `--secret KEY --from-locker <handle>`, and set other variables in a command of their own.';
    throw usageFailure('A handle takes the place of a value: one was given besides.', remedy);
  }
  if (secret.length !== sources.length || new Set(secret).size !== secret.length) {
    const remedy = 'Write `--secret KEY --from-locker <handle>`, a pair for each variable.';
    throw usageFailure('Each handle or alias needs one --secret KEY of its own.', remedy);
  }
  for (const handle of fromLocker) readHandle(handle);
  if (!fromVault.every((alias) => legacyAliasSchema.safeParse(alias).success)) {
    throw usageFailure(
      'That is no alias of the legacy vault.',
      'It has letters, digits, dots, dashes and underscores.',
    );
  }
  return Object.fromEntries(secret.map((name, index) => [name, sources[index] ?? { vaultAlias: '' }]));
}
