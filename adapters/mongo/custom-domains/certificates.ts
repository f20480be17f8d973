import type { Db } from 'mongodb';
import { z } from 'zod';
import type {
  CertificateOwner,
  CertificateRecord,
  StoredCertificate,
  StoredOrder,
} from '../../../domain/custom-domains/certificates/certificate.ts';
import type { CertificateRecords } from '../../../domain/custom-domains/certificates/stores.ts';
import { ENVIRONMENTS } from '../../../domain/environment.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { targetKey } from '../../../domain/ids.ts';
import { mongoCall } from '../connect.ts';
import { pageById } from '../page-by-id.ts';
import { readConfirmed } from '../read-confirmed.ts';
import { sealedReplacement, sealedSecretSchema } from '../sealed-secret-schema.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { CERTIFICATE_COLLECTIONS } from './certificate-indexes.ts';

interface CertificateDocument extends CertificateRecord {
  readonly _id: string;
}

const ofAuthority = { directoryUrl: z.string(), names: z.array(z.string()), key: sealedSecretSchema };
const documentSchema = z.object({
  service: z.string(),
  environment: z.enum(ENVIRONMENTS),
  order: z
    .object({ ...ofAuthority, url: z.string(), placedAt: z.date() })
    .nullable()
    .default(null),
  current: z
    .object({
      ...ofAuthority,
      chain: z.string(),
      fingerprint: z.string(),
      renewalId: z.string().nullable(),
      notBefore: z.date(),
      notAfter: z.date(),
      issuedAt: z.date(),
      orderUrl: z.string().nullable().default(null),
    })
    .nullable()
    .default(null),
});

/** Certificates in MongoDB: one document an owner. */
export function createCertificateRecords({ db }: { readonly db: Db }): CertificateRecords {
  const collection = db.collection<CertificateDocument>(CERTIFICATE_COLLECTIONS.certificates);
  const find = async (owner: CertificateOwner): Promise<CertificateRecord | null> => {
    const document = await readConfirmed(collection, { _id: idOf(owner) });
    return document === null ? null : documentSchema.parse(document);
  };
  return {
    find,
    async keepOrder(owner, order: StoredOrder) {
      const { service, environment } = owner;
      await upsertOnceMore(() =>
        collection.updateOne(
          { _id: idOf(owner) },
          { $setOnInsert: { service, environment, order: null, current: null } },
          { upsert: true },
        ),
      );
      await mongoCall(() => collection.updateOne({ _id: idOf(owner), order: null }, { $set: { order } }));
      const kept = (await find(owner))?.order ?? null;
      if (kept !== null) return kept;
      throw new FairleadError('CONFLICT', `The order for ${service} was just ended`, { retryable: true });
    },
    async dropOrder(owner, url) {
      await mongoCall(() => collection.updateOne({ _id: idOf(owner), 'order.url': url }, { $set: { order: null } }));
    },
    async keepCertificate(owner, certificate: StoredCertificate, url) {
      const set = { $set: { current: certificate, order: null } };
      await mongoCall(() => collection.updateOne({ _id: idOf(owner), 'order.url': url }, set));
    },
    async remove(owner, fingerprint) {
      const isCurrent = fingerprint === null ? { current: null } : { 'current.fingerprint': fingerprint };
      await mongoCall(() => collection.deleteOne({ _id: idOf(owner), ...isCurrent }));
    },
    list: (page) => pageById(collection, { page, read: (document) => documentSchema.parse(document) }),
    async reseal(owner, place, key) {
      const { condition, update } = sealedReplacement(`${place}.key`, key);
      await mongoCall(() => collection.updateOne({ _id: idOf(owner), ...condition }, update));
    },
  };
}

const idOf = ({ service, environment }: CertificateOwner): string => targetKey(service, environment);
