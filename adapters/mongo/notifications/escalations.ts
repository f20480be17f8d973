import type { Collection, Db } from 'mongodb';
import { z } from 'zod';
import { type EscalationPolicies, NO_POLICIES } from '../../../domain/notifications/escalation.ts';
import type { EscalationStore } from '../../../domain/notifications/ports.ts';
import { mongoCall } from '../connect.ts';
import { escalationPolicySchema } from '../escalation-policy-schema.ts';
import { readDocument } from '../read-document.ts';
import { upsertOnceMore } from '../upsert-once-more.ts';
import { COLLECTIONS } from './indexes.ts';

type PoliciesDocument = Partial<EscalationPolicies> & {
  /** The org. */
  readonly _id: string;
};

/** No org has such a name. */
const OPERATORS = '~operators';

const policiesSchema = z.object({
  critical: escalationPolicySchema.nullable().default(null),
  warning: escalationPolicySchema.nullable().default(null),
});

/** Policies of escalation in MongoDB: one document an org. */
export function createEscalationStore({ db }: { readonly db: Db }): EscalationStore {
  const collection: Collection<PoliciesDocument> = db.collection(COLLECTIONS.escalations);
  return {
    async find(org) {
      const document = await mongoCall(() => collection.findOne({ _id: org ?? OPERATORS }));
      return document === null ? NO_POLICIES : readDocument('policies of escalation', policiesSchema, document);
    },
    async set(org, severity, policy) {
      const change = { $set: { [severity]: policy } };
      await upsertOnceMore(() => collection.updateOne({ _id: org ?? OPERATORS }, change, { upsert: true }));
    },
  };
}
