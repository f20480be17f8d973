import { z } from 'zod';
import type { LegacyVault } from '../../domain/config/secret-import.ts';
import { FairleadError } from '../../domain/errors.ts';
import { MAX_VALUE_LENGTH } from '../../domain/locker/item.ts';
import { postJson } from './post-json.ts';

const TIMEOUT_MS = 8_000;

export interface LegacyVaultOptions {
  /** LEGACY_VAULT_URL, without a trailing slash. */
  readonly url: string;
  /** LEGACY_VAULT_TOKEN */
  readonly token: string;
  readonly timeoutMs?: number;
}

const replySchema = z.object({ data: z.object({ value: z.string().max(MAX_VALUE_LENGTH) }) });

/**
 * The legacy vault over HTTP. The spec does not show its protocol: `POST /api/resolve` with `{ alias, org, service }` and a
 * Bearer token, answered by `{ data: { value } }`, 404 for no such alias, and 401 or 403 for a refusal.
 */
export function createLegacyVault({ url, token, timeoutMs = TIMEOUT_MS }: LegacyVaultOptions): LegacyVault {
  return {
    async resolve(alias, { org, service }) {
      const request = { token, body: { alias, org, service }, timeoutMs };
      const { status, body } = await postJson(`${url}/api/resolve`, request).catch((cause: unknown) => {
        throw unreachable('does not answer', cause);
      });
      if (status === 404) throw new FairleadError('VAULT_ALIAS_NOT_FOUND', `The legacy vault has no alias ${alias}`);
      if (status === 401 || status === 403) {
        throw new FairleadError('VAULT_RESOLVE_FORBIDDEN', `The legacy vault refuses ${alias} for ${org}/${service}`);
      }
      const reply = replySchema.safeParse(body);
      if (status !== 200 || !reply.success) throw unreachable(`answered ${status} in an unexpected format`);
      return reply.data.data.value;
    },
  };
}

function unreachable(what: string, cause?: unknown): FairleadError {
  return new FairleadError('VAULT_UNREACHABLE', `The legacy vault ${what}. Nothing was changed.`, {
    system: 'legacy-vault',
    retryable: true,
    cause,
  });
}
