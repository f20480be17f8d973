import type {
  AuthorityOrder,
  CertificateAuthority,
  CertificateKeys,
  Challenge,
} from '../../../domain/custom-domains/certificates/authority.ts';
import type { RenewalWindow } from '../../../domain/custom-domains/certificates/renewal-time.ts';
import { FairleadError } from '../../../domain/errors.ts';

const DAY_MS = 86_400_000;

interface Order {
  readonly names: readonly string[];
  readonly replaces: string | null;
  status: AuthorityOrder['status'];
  readonly answered: Set<string>;
  readonly failed: Set<string>;
  certificate: string | null;
}

export interface InMemoryAuthorityOptions {
  /** What is found for a challenge of a host, null for nothing. */
  readonly answerOf: (host: string, token: string) => Promise<string | null>;
  readonly now: () => Date;
}

/** An authority of this process. Its certificates are JSON, which the keys beside it read. */
export function createInMemoryAuthority({ answerOf, now }: InMemoryAuthorityOptions) {
  const orders = new Map<string, Order>();
  const windows = new Map<string, RenewalWindow>();
  const state = {
    isAway: false,
    hasRenewalInfo: true,
    namesRefused: true,
    limitedForSeconds: 0,
    lifetimeDays: 90,
    serial: 0,
  };
  const replaced = new Set<string>();
  /** Names that are refused when an order is finalized. */
  const refusedAtEnd = new Set<string>();
  const directoryUrl = 'https://ca.example/directory';
  const open = (signal: AbortSignal): void => {
    signal.throwIfAborted();
    if (state.limitedForSeconds > 0) {
      const details = { status: 429, type: 'rateLimited', names: [], retryAfterSeconds: state.limitedForSeconds };
      throw new FairleadError('RATE_LIMITED', 'too many orders', { retryable: true, details });
    }
    if (!state.isAway) return;
    throw new FairleadError('UNAVAILABLE', 'The certificate authority at ca.example cannot be reached', {
      retryable: true,
    });
  };
  const find = (url: string, signal: AbortSignal): Order => {
    open(signal);
    const order = orders.get(url);
    if (order !== undefined) return order;
    throw new FairleadError('CERTIFICATE_REFUSED', 'there is no such order', {
      details: { status: 404, type: 'malformed' },
    });
  };
  const hostOf = (name: string): string => name.replace('*.', '');
  const challengeOf = (url: string, name: string): Challenge => {
    const method = name.startsWith('*.') ? 'dns-01' : 'http-01';
    const order = orders.get(url);
    const isAnswered = order?.answered.has(name) ?? false;
    const status = !isAnswered ? 'pending' : order?.failed.has(name) ? 'invalid' : 'valid';
    const token = `token-${url.split('/').at(-1)}`;
    const problem = status === 'invalid' ? `${hostOf(name)} does not answer` : null;
    return { method, url: `${url}#${name}`, token, status, answer: `${token}.thumbprint`, problem };
  };
  const viewOf = (url: string, { status }: Order): AuthorityOrder => {
    return { url, status, problem: status === 'invalid' ? 'the order is invalid' : null, problemNames: [] };
  };

  const authority: CertificateAuthority = {
    directoryUrl,
    async describe(signal) {
      open(signal);
      const { hasRenewalInfo } = state;
      return { caaIdentities: ['ca.example'], accountUrl: 'https://ca.example/account/1', hasRenewalInfo };
    },
    async placeOrder({ names, replaces }, signal) {
      open(signal);
      if (replaces !== null && replaced.has(replaces)) {
        throw new FairleadError('CERTIFICATE_REFUSED', 'it is replaced already', {
          details: { status: 409, type: 'alreadyReplaced' },
        });
      }
      if (replaces !== null) replaced.add(replaces);
      const url = `https://ca.example/order/${orders.size + 1}`;
      orders.set(url, {
        names,
        replaces,
        status: 'pending',
        answered: new Set(),
        failed: new Set(),
        certificate: null,
      });
      return { url, status: 'pending', problem: null, problemNames: [] };
    },
    async readOrder(url, signal) {
      open(signal);
      const order = orders.get(url);
      return order === undefined ? null : viewOf(url, order);
    },
    async readAuthorizations(url, signal) {
      const order = find(url, signal);
      return order.names.map((name) => {
        const challenge = challengeOf(url, name);
        const { status } = challenge;
        return {
          ...{ host: hostOf(name), isWildcard: name.startsWith('*.'), challenges: [challenge] },
          status: status === 'valid' || status === 'invalid' ? status : 'pending',
        };
      });
    },
    async completeChallenge(challengeUrl, signal) {
      const [url = '', name = ''] = challengeUrl.split('#');
      const order = find(url, signal);
      if (order.status !== 'pending') return;
      const { token, answer, method } = challengeOf(url, name);
      const isRight = method === 'dns-01' || (await answerOf(hostOf(name), token)) === answer;
      if (!isRight) {
        order.answered.add(name);
        order.failed.add(name);
        order.status = 'invalid';
        return;
      }
      order.answered.add(name);
      if (order.names.every((one) => order.answered.has(one))) order.status = 'ready';
    },
    async finalize(url, { key }, signal) {
      const order = find(url, signal);
      if (order.status !== 'ready') return;
      const refused = order.names.filter((name) => refusedAtEnd.has(name));
      if (refused.length > 0) {
        const details = { status: 403, type: 'caa', names: state.namesRefused ? refused : [] };
        throw new FairleadError('CERTIFICATE_REFUSED', 'CAA forbids issuance', { details });
      }
      state.serial += 1;
      const notBefore = now();
      const notAfter = new Date(notBefore.getTime() + state.lifetimeDays * DAY_MS);
      const fingerprint = state.serial.toString(16).padStart(64, '0');
      order.certificate = JSON.stringify({ key, names: order.names, fingerprint, notBefore, notAfter });
      order.status = 'valid';
    },
    async download(url, signal) {
      const { certificate } = find(url, signal);
      if (certificate !== null) return certificate;
      throw new FairleadError('CERTIFICATE_REFUSED', 'it is not issued', {
        details: { status: 403, type: 'orderNotReady' },
      });
    },
    async renewalInfo(renewalId, signal) {
      open(signal);
      const window = windows.get(renewalId);
      return window === undefined ? null : { window, lookAgainSeconds: 6 * 3_600 };
    },
  };
  const keys: CertificateKeys = {
    createKey: async () => `key-${orders.size}-${Math.random()}`,
    async readChain(chain, { key, names }) {
      const read = JSON.parse(chain) as Record<string, string> & { names: readonly string[] };
      const isOurs = read.key === key && names.every((name) => read.names.includes(name));
      if (!isOurs) throw new FairleadError('CERTIFICATE_REFUSED', 'it is of another key');
      const [notBefore, notAfter] = [new Date(read.notBefore ?? ''), new Date(read.notAfter ?? '')];
      const fingerprint = read.fingerprint ?? '';
      return { fingerprint, renewalId: `aki.${fingerprint}`, notBefore, notAfter };
    },
  };
  return {
    ...{ authority, keys, state, refusedAtEnd },
    orders: (): readonly {
      readonly names: readonly string[];
      readonly replaces: string | null;
      readonly status: string;
    }[] => [...orders.values()],
    moveRenewal: (fingerprint: string, window: RenewalWindow) => void windows.set(`aki.${fingerprint}`, window),
  };
}

export type InMemoryAuthority = ReturnType<typeof createInMemoryAuthority>;
