import { FairleadError } from '../../domain/errors.ts';
import type { CheckSecret } from '../../domain/monitors/check-secret.ts';
import type { OpenedSecret } from '../../domain/monitors/headers-to-send.ts';
import type { CheckSecretStore } from '../../domain/monitors/ports.ts';

export interface OpenedSecretsDeps {
  readonly secrets: Pick<CheckSecretStore, 'find' | 'revisions'>;
  /** @throws INTERNAL for one that is of another key, or was changed */
  readonly openSecret: (org: string, secret: CheckSecret) => string;
}

/** The secrets of some orgs, in memory alone. */
export interface OpenedSecrets {
  /**
   * Reads those that changed, and forgets those of other orgs. @returns the orgs whose secrets are others than before
   * @throws UNAVAILABLE (retryable): all are as they were
   */
  look(orgs: ReadonlySet<string>): Promise<ReadonlySet<string>>;
  /** By name. */
  of(org: string | null): ReadonlyMap<string, OpenedSecret>;
}

const NONE: ReadonlyMap<string, OpenedSecret> = new Map();

export function createOpenedSecrets({ secrets, openSecret }: OpenedSecretsDeps): OpenedSecrets {
  let known = new Map<string, { readonly revision: number; readonly opened: ReadonlyMap<string, OpenedSecret> }>();

  function open(org: string, secret: CheckSecret): OpenedSecret {
    const { name, hosts } = secret;
    try {
      return { name, hosts, value: openSecret(org, secret) };
    } catch (error) {
      // The check then says that its secret has to be set again.
      if (error instanceof FairleadError) return { name, hosts, value: null };
      throw error;
    }
  }

  return {
    of: (org) => (org === null ? NONE : (known.get(org)?.opened ?? NONE)),
    async look(orgs) {
      const revisions = await secrets.revisions([...orgs]);
      const changed = [...orgs].filter((org) => known.get(org)?.revision !== (revisions.get(org) ?? 0));
      const next = new Map([...known].filter(([org]) => orgs.has(org)));
      for (const org of changed) {
        const { revision, secrets: found } = await secrets.find(org);
        next.set(org, { revision, opened: new Map(found.map((each) => [each.name, open(org, each)])) });
      }
      known = next;
      return new Set(changed);
    },
  };
}
