import type { CustomDomainsActivities } from '../../activities/custom-domains/index.ts';
import { createDomainCommands } from '../../adapters/temporal/domain-commands.ts';
import type { DomainState } from '../../domain/custom-domains/custom-domain.ts';
import { type AddDomain, DOMAIN_SIGNALS, domainWorkflowId } from '../../domain/custom-domains/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { createTemporal } from '../workflows/deploys/harness.ts';
import { ended } from './ended.ts';
import { withOwnWorker } from './own-worker.ts';
import type { Recordings } from './recordings.ts';

const KEPT = 'shop.kept.com';
const REFUSED = 'shop.refused.com';
const FAILED = 'shop.failed.com';

/** A name that is looked at until it is served, and removed; one that cannot be looked at once, one that is refused, one that fails. */
export async function domain(temporal: Awaited<ReturnType<typeof createTemporal>>): Promise<Recordings> {
  const { client } = temporal;
  const commands = createDomainCommands(client);
  let looks = 0;
  const look = (name: string): { state: DomainState; waitMs: number | null } => {
    if (name === FAILED) return { state: 'failed', waitMs: null };
    looks += 1;
    return looks < 4 ? { state: 'pending-dns', waitMs: 5_000 } : { state: 'active', waitMs: 3_600_000 };
  };
  const activities: CustomDomainsActivities = {
    claimDomain: async ({ id }) => ({ holderId: id, isNew: true }),
    prepareDomain: async ({ domain: name }) => {
      if (name === REFUSED) throw new FairleadError('DNS_RECORD_EXISTS', 'It leads elsewhere');
    },
    readHolding: async () => null,
    requireHolding: async ({ domain: name }) => ({ domain: name, holderId: `dom_${name}` }),
    observeDomain: async ({ domain: name }) => {
      const { state, waitMs } = look(name);
      if (looks === 2) throw new FairleadError('DNS_PROVIDER_REFUSED', 'no');
      return { kind: 'seen', state, reason: state === 'active' ? null : 'ns1 has nothing', waitMs };
    },
    beginRemoval: async ({ domain: name }) => ({ domain: name, holderId: `dom_${name}` }),
    removeDomain: async () => undefined,
    reconcileDomains: async () => ({ cursor: null, names: 0 }),
  };
  const request = (name: string): AddDomain => ({
    ...{ id: `dom_${name}`, domain: name, apex: name.slice('shop.'.length), serviceId: 'svc_1', service: 'shop' },
    ...{ org: 'acme', claimant: 'acme', sharingRevision: null, byAdministrator: false },
    ...{ environment: 'prod', mode: 'direct', overwrite: false },
    ...{ canonical: null, hsts: null, addedBy: 'usr_ada', requestId: 'req_1' },
  });
  const of = (name: string, requestId: string) => ({ domain: name, serviceId: 'svc_1', by: 'usr_ada', requestId });
  await withOwnWorker(temporal, { taskQueue: 'custom-domains', module: 'custom-domains', activities }, async () => {
    await commands.add(request(FAILED));
    await ended(temporal, domainWorkflowId(FAILED));
    await commands.add(request(REFUSED)).catch(() => undefined);
    await ended(temporal, domainWorkflowId(REFUSED));
    await commands.add(request(KEPT));
    await temporal.env.sleep('10m');
    await client.workflow.getHandle(domainWorkflowId(KEPT)).signal(DOMAIN_SIGNALS.certificateChanged);
    await commands.verify(of(KEPT, 'req_2'));
    await commands.remove(of(KEPT, 'req_3'));
    await ended(temporal, domainWorkflowId(KEPT));
  });
  return {
    'domain-kept': domainWorkflowId(KEPT),
    'domain-refused': domainWorkflowId(REFUSED),
    'domain-failed': domainWorkflowId(FAILED),
  };
}
