import { z } from 'zod';
import type { CertificateOwner, CertificateRecord } from '../../../domain/custom-domains/certificates/certificate.ts';
import type {
  AcmeAccount,
  AcmeAccounts,
  CertificateRecords,
  OrderLog,
} from '../../../domain/custom-domains/certificates/stores.ts';
import { targetKey } from '../../../domain/ids.ts';
import { byText, pageOf } from './page-of.ts';

const TEXT = z.tuple([z.string()]).readonly();

export function createInMemoryCertificateRecords(): CertificateRecords {
  const records = new Map<string, CertificateRecord>();
  const idOf = ({ service, environment }: CertificateOwner): string => targetKey(service, environment);
  return {
    find: async (owner) => structuredClone(records.get(idOf(owner)) ?? null),
    async keepOrder({ service, environment }, order) {
      const id = idOf({ service, environment });
      const known = records.get(id) ?? { service, environment, order: null, current: null };
      records.set(id, { ...known, order: known.order ?? structuredClone(order) });
      return known.order ?? order;
    },
    async dropOrder(owner, url) {
      const known = records.get(idOf(owner));
      if (known?.order?.url === url) records.set(idOf(owner), { ...known, order: null });
    },
    async keepCertificate(owner, certificate, url) {
      const known = records.get(idOf(owner));
      if (known?.order?.url === url) records.set(idOf(owner), { ...known, current: certificate, order: null });
    },
    async remove(owner, fingerprint) {
      const current = records.get(idOf(owner))?.current?.fingerprint ?? null;
      if (current === fingerprint) records.delete(idOf(owner));
    },
    list: async (page) =>
      pageOf(records.values(), page, { cursor: TEXT, keyOf: (record) => [idOf(record)] as const, compare: byText }),
    async reseal(owner, place, { from, to }) {
      const known = records.get(idOf(owner));
      const of = known?.[place];
      if (known === undefined || of?.key.sealed !== from.sealed) return;
      records.set(idOf(owner), { ...known, [place]: { ...of, key: to } });
    },
  };
}

export function createInMemoryOrderLog(): OrderLog {
  type Noted = Parameters<OrderLog['note']>[0];
  const orders = new Map<string, Noted>();
  return {
    async note(order) {
      if (!orders.has(order.id)) orders.set(order.id, order);
    },
    async noteFailure(id, names) {
      const order = orders.get(id);
      if (order !== undefined) orders.set(id, { ...order, failed: names });
    },
    async since(time, { orgs, domains }) {
      const found = [...orders.values()].filter(
        (one) =>
          one.at > time &&
          (one.claimants.some((org) => orgs.includes(org)) || one.domains.some((at) => domains.includes(at))),
      );
      return found.map(({ id: _, domains: __, ...order }) => order);
    },
  };
}

export function createInMemoryAcmeAccounts(): AcmeAccounts {
  const accounts = new Map<string, AcmeAccount>();
  return {
    find: async (directoryUrl) => accounts.get(directoryUrl) ?? null,
    async keep(account) {
      const kept = accounts.get(account.directoryUrl) ?? account;
      accounts.set(account.directoryUrl, kept);
      return kept;
    },
    async noteUrl(directoryUrl, url) {
      const account = accounts.get(directoryUrl);
      if (account !== undefined) accounts.set(directoryUrl, { ...account, url });
    },
    list: async (page) =>
      pageOf(accounts.values(), page, {
        cursor: TEXT,
        keyOf: ({ directoryUrl }) => [directoryUrl] as const,
        compare: byText,
      }),
    async reseal(directoryUrl, { from, to }) {
      const account = accounts.get(directoryUrl);
      if (account?.key.sealed === from.sealed) accounts.set(directoryUrl, { ...account, key: to });
    },
  };
}
