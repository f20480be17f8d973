import type { IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = { events: 'audit_events' } as const;

/** `_id` is the id of the event. */
export const INDEXES: IndexTable = {
  [COLLECTIONS.events]: [
    { key: { time: -1, _id: -1 }, name: 'newest' },
    { key: { type: 1, time: -1, _id: -1 }, name: 'type_newest' },
    { key: { subject: 1, time: -1, _id: -1 }, name: 'subject_newest' },
    { key: { orgSlug: 1, time: -1, _id: -1 }, name: 'org_newest' },
    { key: { toForward: 1, time: 1, _id: 1 }, name: 'to_forward' },
  ],
};
