import type { CustomDomainsDeps } from '../../activities/custom-domains/deps.ts';
import { newId } from '../../adapters/crypto/new-id.ts';
import type { AddDomain } from '../../domain/custom-domains/messages.ts';
import { createInMemoryAudit } from './in-memory/audit-recorder.ts';
import { createInMemoryCertificates } from './in-memory/certificates.ts';
import { createInMemoryCustomDomainStore } from './in-memory/custom-domain-store.ts';
import { createInMemoryDomainDns } from './in-memory/domain-dns.ts';
import { createInMemoryDnsProvider } from './in-memory/domain-zones.ts';
import { createInMemoryEdgeHosts } from './in-memory/edge-hosts.ts';
import { createInMemoryServiceStore } from './in-memory/service-store.ts';

export const INGRESS = '203.0.113.7';
const AT = new Date('2026-11-01T10:00:00Z');

/** What the activities of custom domains work with, in this process; other parts in the place of some. */
export function createCustomDomainsDeps(changes: Partial<CustomDomainsDeps> = {}) {
  const [dns, provider, certificates] = [
    createInMemoryDomainDns(),
    createInMemoryDnsProvider(),
    createInMemoryCertificates(),
  ];
  const audit = createInMemoryAudit();
  const [alarms, warnings]: [string[], string[]] = [[], []];
  const deps: CustomDomainsDeps = {
    domains: createInMemoryCustomDomainStore(),
    services: createInMemoryServiceStore({ now: () => AT }),
    dns: dns.dns,
    zones: provider.zonesOf('default'),
    hosts: createInMemoryEdgeHosts(),
    certificates: certificates.certificates,
    ...{ clients: null, monitors: null },
    warn: ({ domain }, message) => void warnings.push(`${domain}: ${message}`),
    audit,
    raiseAlarm: async ({ subject }) => void alarms.push(subject),
    settings: {
      ...{
        platformDomain: 'apps.fairlead.dev',
        hosts: [],
        platformOrg: 'platform',
        ingressTarget: INGRESS,
        issuesCertificates: true,
        usesHostnames: false,
      },
      ...{ customersTarget: 'customers.edge-host.net', replaceableTargets: ['sites.generated.net'] },
    },
    ...changes,
  };
  return { deps, dns, provider, certificates, audit, alarms, warnings };
}

export type CustomDomainsParts = ReturnType<typeof createCustomDomainsDeps>;

/** The same, with two services of two orgs. */
export async function createCustomDomainsParts(changes: Partial<CustomDomainsDeps> = {}) {
  const services = createInMemoryServiceStore({ now: () => AT });
  const parts = createCustomDomainsDeps({ services, ...changes });
  const newService = async (name: string, org: string): Promise<string> =>
    (await services.upsert({ id: newId('service'), name, org }, {})).service.id;
  const shop = await newService('shop', 'acme');
  const blog = await newService('blog', 'globex');
  const request = (domain: string, fields: Partial<AddDomain> = {}): AddDomain => ({
    ...{ id: newId('domain'), domain, apex: domain.split('.').slice(-2).join('.'), serviceId: shop, service: 'shop' },
    ...{ org: 'acme', claimant: fields.org ?? 'acme', sharingRevision: null, environment: 'prod', mode: 'direct' },
    ...{ overwrite: false, canonical: null, hsts: null, addedBy: 'usr_ada', requestId: 'req_1' },
    ...fields,
  });
  const ofBlog = { serviceId: blog, service: 'blog', org: 'globex' } as const;
  return { ...parts, services, shop, blog, ofBlog, request, newService };
}

export type CustomDomainsWorld = Awaited<ReturnType<typeof createCustomDomainsParts>>;
