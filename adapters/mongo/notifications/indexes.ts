import type { IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = {
  channels: 'notification_channels',
  escalations: 'notification_escalations',
  deliveries: 'notification_deliveries',
  notices: 'notification_notices',
  rounds: 'notification_rounds',
  confirmations: 'notification_confirmations',
  subscribers: 'notification_subscribers',
  requests: 'notification_subscribe_requests',
  questions: 'notification_questions',
  plans: 'notification_mailing_plans',
  batches: 'notification_mailing_batches',
} as const;

const DAY_SECONDS = 86_400;
/** A delivery that ended is shown for so long; so long a notice that was told is known. */
const KEPT_SECONDS = 90 * DAY_SECONDS;
/** Of whatever is still tried; more than the `MAILED_KNOWN_DAYS` of a mailing. */
const ROUNDS_KEPT_SECONDS = 7 * DAY_SECONDS;
const COUNTS_KEPT_SECONDS = 2 * DAY_SECONDS;

export const INDEXES: IndexTable = {
  [COLLECTIONS.channels]: [
    { key: { org: 1 }, name: 'org' },
    { key: { place: 1 }, name: 'place', unique: true, sparse: true },
  ],
  [COLLECTIONS.deliveries]: [
    { key: { org: 1, state: 1, createdAt: -1, _id: -1 }, name: 'org_state_createdAt_id' },
    { key: { endedAt: 1 }, name: 'ttl', expireAfterSeconds: KEPT_SECONDS },
  ],
  [COLLECTIONS.notices]: [
    { key: { org: 1, toldAt: 1, createdAt: 1, _id: 1 }, name: 'org_toldAt_createdAt_id' },
    { key: { toldAt: 1 }, name: 'ttl', expireAfterSeconds: KEPT_SECONDS },
  ],
  [COLLECTIONS.rounds]: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: ROUNDS_KEPT_SECONDS }],
  [COLLECTIONS.confirmations]: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: COUNTS_KEPT_SECONDS }],
  [COLLECTIONS.subscribers]: [
    { key: { org: 1, address: 1 }, name: 'org_address', unique: true },
    { key: { org: 1, state: 1, _id: 1 }, name: 'org_state_id' },
    // An address that nobody confirms is forgotten with its link.
    { key: { 'confirmation.expiresAt': 1 }, name: 'ttl', expireAfterSeconds: 0 },
  ],
  [COLLECTIONS.requests]: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: COUNTS_KEPT_SECONDS }],
  [COLLECTIONS.questions]: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: COUNTS_KEPT_SECONDS }],
  [COLLECTIONS.plans]: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: ROUNDS_KEPT_SECONDS }],
  [COLLECTIONS.batches]: [{ key: { at: 1 }, name: 'ttl', expireAfterSeconds: ROUNDS_KEPT_SECONDS }],
};
