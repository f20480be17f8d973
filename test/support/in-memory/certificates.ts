import type { CertificateName, Certificates } from '../../../domain/custom-domains/ports.ts';

/** Certificates in this process: a name is served once it is wished for, unless it is said to be otherwise. */
export function createInMemoryCertificates() {
  const wished = new Map<string, readonly string[]>();
  const states = new Map<string, Pick<CertificateName, 'state' | 'reason'> & Partial<CertificateName>>();
  let calls = 0;
  const certificates: Certificates = {
    async set({ service, environment }, names) {
      calls += 1;
      wished.set(`${service}/${environment}`, names);
    },
    async read({ service, environment }) {
      const names = wished.get(`${service}/${environment}`) ?? [];
      return names.map((host) => ({
        ...{ notAfter: null, servedAt: null, ...(states.get(host) ?? { state: 'served', reason: null }), host },
      }));
    },
  };
  return {
    certificates,
    states,
    calls: () => calls,
    wishedFor: (service: string, environment = 'prod') => wished.get(`${service}/${environment}`) ?? [],
  };
}
