/*
 * The module `config` in the worker: stored secrets are sealed with the current key.
 *
 * Keying: one run at a time for each key, the workflow `secret-reencryption/<key>`. Its pages are those of the records, by
 * their cursor; a worker that seals with another key does none of them.
 * Retries: a page is tried again until it succeeds. What it sealed before is found sealed, so nothing is done twice.
 * Compensation: none. A value is replaced only where the one it was made of still is; both open with the keys of the
 * installation until the earlier key is taken out of CONFIG_ENCRYPTION_KEY or LOCKER_ENCRYPTION_KEY, which people do after a completed run.
 */
import { Context } from '@temporalio/activity';
import {
  MAX_UNREADABLE_SHOWN,
  NO_PROGRESS,
  type ReencryptionProgress,
  type SecretKind,
  type UnreadableSecret,
} from '../../domain/config/messages.ts';
import type { SecretCipher, StoredSecret, StoredSecrets } from '../../domain/config/ports.ts';
import { openOrNull } from '../../domain/config/service-variables.ts';
import { FairleadError } from '../../domain/errors.ts';

/** Secrets of one kind, and what seals them. */
export interface SealedKind {
  readonly secrets: StoredSecrets;
  readonly cipher: SecretCipher;
  /** The variable of its keys. */
  readonly variable: string;
}

/** Without the kinds whose keys this worker was not given. */
export type ConfigDeps = Readonly<Partial<Record<SecretKind, SealedKind>>>;

export interface PageRequested {
  readonly kind: SecretKind;
  readonly cursor: string | null;
  /** Id of the key that the run is to seal with. Absent in a run of an earlier version. */
  readonly keyId?: string;
}

export interface PageDone {
  readonly nextCursor: string | null;
  /** True when it is the work of a later attempt: an earlier one may have sealed secrets that `done` does not count. */
  readonly again?: boolean;
  readonly done: ReencryptionProgress;
}

const PAGE = 20;

/** The activities of the config workflows. */
export function createConfigActivities(deps: ConfigDeps) {
  return {
    /**
     * Idempotent: what is sealed with the current key stays as it is.
     * @throws UNAVAILABLE (retryable) in a worker that seals with another key than the run, or has none
     */
    async reencryptPage({ kind, cursor, keyId }: PageRequested): Promise<PageDone> {
      const { secrets, cipher } = withKey(deps[kind], kind, keyId);
      const page = await secrets.read({ cursor, limit: PAGE });
      let resealed = 0;
      const unreadable: UnreadableSecret[] = [];
      for (const stored of page.items) {
        Context.current().heartbeat();
        if (stored.secret.keyId === cipher.keyId) continue;
        const value = openOrNull(cipher, stored.context, stored.secret);
        if (value === null) unreadable.push(nameOf(stored));
        else {
          await stored.replace(cipher.seal(value, stored.context));
          resealed += 1;
        }
      }
      const first = unreadable.slice(0, MAX_UNREADABLE_SHOWN);
      const done = { checked: page.items.length, resealed, unreadable: { count: unreadable.length, first } };
      const again = Context.current().info.attempt > 1;
      return { nextCursor: page.nextCursor, again, done: { ...NO_PROGRESS, ...done } };
    },
  };
}

export type ConfigActivities = ReturnType<typeof createConfigActivities>;

function withKey(found: SealedKind | undefined, kind: SecretKind, keyId: string | undefined): SealedKind {
  if (found === undefined) throw otherKey(`A worker has no key of ${kind}`);
  const { keyId: own } = found.cipher;
  if (keyId === undefined || keyId === own) return found;
  throw otherKey(`A worker seals with key ${own}, and the run is for key ${keyId}`, found.variable);
}

function otherKey(what: string, variable = 'variable of it'): FairleadError {
  const message = `${what}: restart it with the API's ${variable}`;
  return new FairleadError('UNAVAILABLE', message, { retryable: true });
}

function nameOf({ context }: StoredSecret): UnreadableSecret {
  return { service: context.service, environment: context.environment ?? null, name: context.key };
}
