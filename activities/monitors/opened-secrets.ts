import { FairleadError, isRetryable } from '../../domain/errors.ts';
import type { CheckSecret, OrgSecrets } from '../../domain/monitors/check-secret.ts';
import type { OpenedSecret } from '../../domain/monitors/headers-to-send.ts';
import type { CheckSecretStore } from '../../domain/monitors/ports.ts';

export interface OpenedSecretsDeps {
  readonly secrets: Pick<CheckSecretStore, 'find' | 'revisions'>;
  /** @throws INTERNAL for one that is of another key, or was changed */
  readonly openSecret: (org: string, secret: CheckSecret) => string;
  readonly warn: (problem: { readonly err: unknown }, message: string) => void;
}

/** The secrets of some orgs, in memory alone. */
export interface OpenedSecrets {
  /**
   * Reads those that changed, and forgets those of other orgs. What cannot be read or opened for good is in the log once: the checks
   * that need it are not made, and hold up no other one. @returns the orgs whose secrets are others than before
   * @throws UNAVAILABLE (retryable): all are as they were
   */
  look(orgs: ReadonlySet<string>): Promise<ReadonlySet<string>>;
  /** By name. */
  of(org: string | null): ReadonlyMap<string, OpenedSecret>;
}

const NONE: ReadonlyMap<string, OpenedSecret> = new Map();

export function createOpenedSecrets({ secrets, openSecret, warn }: OpenedSecretsDeps): OpenedSecrets {
  let known = new Map<string, { readonly revision: number; readonly opened: ReadonlyMap<string, OpenedSecret> }>();

  function open(org: string, secret: CheckSecret): OpenedSecret {
    const { name, hosts } = secret;
    try {
      return { name, hosts, value: openSecret(org, secret) };
    } catch (error) {
      // The check then says that its secret has to be set again.
      if (!(error instanceof FairleadError)) throw error;
      warn({ err: error }, `the secret ${name} of checks of ${org} cannot be opened`);
      return { name, hosts, value: null };
    }
  }

  async function read(org: string, revision: number): Promise<OrgSecrets> {
    try {
      return await secrets.find(org);
    } catch (error) {
      if (isRetryable(error)) throw error;
      warn({ err: error }, `the secrets of checks of ${org} cannot be read`);
      return { org, secrets: [], revision };
    }
  }

  return {
    of: (org) => (org === null ? NONE : (known.get(org)?.opened ?? NONE)),
    async look(orgs) {
      const revisions = await secrets.revisions([...orgs]);
      const changed = [...orgs].filter((org) => known.get(org)?.revision !== (revisions.get(org) ?? 0));
      const next = new Map([...known].filter(([org]) => orgs.has(org)));
      for (const org of changed) {
        const { revision, secrets: found } = await read(org, revisions.get(org) ?? 0);
        next.set(org, { revision, opened: new Map(found.map((each) => [each.name, open(org, each)])) });
      }
      known = next;
      return new Set(changed);
    },
  };
}
