import { FairleadError } from '../../../domain/errors.ts';
import { addressProblem, registeredHosts } from '../../../domain/identity/mail-addresses.ts';
import type { MailTemplate } from '../../../domain/identity/mail-templates.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import type { IdentityDeps } from '../deps.ts';

const PAGE = 200;

type Deps = Pick<IdentityDeps, 'clients'>;

/** The hosts that mail of an org may name: those registered for its clients. */
export async function readRegisteredHosts(deps: Deps, orgSlug: string): Promise<ReadonlySet<string>> {
  const clients: ClientRecord[] = [];
  for (let cursor: string | null = null, first = true; first || cursor !== null; first = false) {
    const page = await deps.clients.list({ orgSlug, clientIds: [] }, { cursor, limit: PAGE });
    clients.push(...page.items);
    cursor = page.nextCursor;
  }
  return registeredHosts(clients);
}

/**
 * Refuses templates of an org, or of a client of it, that name an address which is not registered for one of its clients.
 * @param own hosts that are being registered at the same time
 * @throws VALIDATION_FAILED naming the address
 */
export async function refuseForeignAddresses(
  deps: Deps,
  orgSlug: string,
  templates: Readonly<Record<string, MailTemplate>> | undefined,
  own: Parameters<typeof registeredHosts>[0] = [],
): Promise<void> {
  const entries = Object.entries(templates ?? {});
  if (entries.length === 0) return;
  const hosts = new Set([...(await readRegisteredHosts(deps, orgSlug)), ...registeredHosts(own)]);
  const details = entries.flatMap(([kind, template]) => {
    const message = addressProblem(template, hosts);
    return message === null ? [] : [{ field: `mailTemplates.${kind}`, message }];
  });
  const [first] = details;
  if (first === undefined) return;
  throw new FairleadError('VALIDATION_FAILED', `${first.field}: ${first.message}`, { details });
}
