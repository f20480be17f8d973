import { randomBytes } from 'node:crypto';
import type { CertificatesDeps } from '../../../activities/custom-domains/certificates/deps.ts';
import { createSecretCipher } from '../../../adapters/crypto/secret-cipher.ts';
import type { CertificateOwner } from '../../../domain/custom-domains/certificates/certificate.ts';
import type { KeyAndChain } from '../../../domain/custom-domains/certificates/ports.ts';
import { createInMemoryAuthority } from './certificate-authority.ts';
import { createInMemoryCertificateRecords, createInMemoryOrderLog } from './certificate-stores.ts';

/** Certificates on parts of this process, at the time that `now` says. */
export function createCertificateParts(now: () => Date) {
  const files = new Map<string, KeyAndChain>();
  const answers = new Map<string, string>();
  const alarms: string[] = [];
  /** Who holds a name, as the records of domains have it. */
  const holders = new Map<string, CertificateOwner>();
  /** Names that do not lead here, of whom CAA records say that nobody may issue, or that others than the router answer. */
  const [astray, closed, unserved] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const ca = createInMemoryAuthority({
    now,
    answerOf: async (host, token) => (astray.has(host) ? null : (answers.get(`${host}/${token}`) ?? null)),
  });
  /** What a client of a host is shown; null for nothing. */
  const shown = (host: string): { readonly fingerprint: string; readonly notAfter: Date } | null => {
    const chain = files.get(host)?.chain;
    if (chain === undefined || unserved.has(host)) return null;
    const { fingerprint, notAfter } = JSON.parse(chain) as { fingerprint: string; notAfter: string };
    return { fingerprint, notAfter: new Date(notAfter) };
  };
  const deps: CertificatesDeps = {
    ...{ authority: ca.authority, keys: ca.keys, now },
    records: createInMemoryCertificateRecords(),
    orders: createInMemoryOrderLog(),
    orgOf: async ({ service }) => `org of ${service}`,
    claimantsOf: async ({ service }, hosts) => hosts.map(() => `org of ${service}`),
    holderOf: async (host) => holders.get(host) ?? null,
    files: {
      put: async (host, pair) => void files.set(host, pair),
      readChain: async (host) => files.get(host)?.chain ?? null,
      remove: async (host) => void files.delete(host),
    },
    answers: {
      put: async (host, token, answer) => void answers.set(`${host}/${token}`, answer),
      remove: async (host, token) => void answers.delete(`${host}/${token}`),
    },
    challengeRecords: null,
    lookUpCaa: async (name) => (closed.has(name) ? [{ critical: false, tag: 'issue', value: ';' }] : []),
    servedCheck: {
      async look({ host, fingerprint }) {
        const is = shown(host);
        if (is?.fingerprint === fingerprint && is.notAfter > now()) return { kind: 'served' };
        return { kind: 'not served', reason: 'another certificate is shown' };
      },
    },
    cipher: createSecretCipher([randomBytes(32)]),
    raiseAlarm: async ({ id }) => void alarms.push(id),
  };
  return { ca, deps, files, answers, holders, alarms, astray, closed, unserved, shown };
}

export type CertificateParts = ReturnType<typeof createCertificateParts>;
