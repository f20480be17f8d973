import { LOCKFILE_KEPT_DAYS } from '../../../domain/deploys/build-lockfile.ts';
import { STATE_KEPT_SECONDS } from '../../../domain/deploys/workload-state.ts';
import { type IndexTable, unique } from '../ensure-indexes.ts';
import { type Expiry, ttlIndex } from '../expiry-sweep.ts';

export const COLLECTIONS = {
  builds: 'builds',
  releases: 'releases',
  buildLogs: 'build_logs',
  buildLogHeads: 'build_log_heads',
  epochs: 'deploy_epochs',
  attached: 'attached_requests',
  keys: 'deploy_idempotency_keys',
  workloadStates: 'workload_states',
  lockfiles: 'build_lockfiles',
} as const;

/** Longer than any attempt of a request is on its way. */
export const ATTACHED_EXPIRY: Expiry = { field: 'at', keptSeconds: 7 * 86_400 };
export const KEY_EXPIRY: Expiry = ATTACHED_EXPIRY;
export const LOCKFILE_EXPIRY: Expiry = { field: 'keptAt', keptSeconds: LOCKFILE_KEPT_DAYS * 86_400 };
export const STATE_EXPIRY: Expiry = { field: 'measuredAt', keptSeconds: STATE_KEPT_SECONDS };

/** `_id` carries the ids. */
export const INDEXES: IndexTable = {
  [COLLECTIONS.builds]: [
    { key: { createdAt: -1, _id: -1 }, name: 'newest' },
    { key: { serviceId: 1, createdAt: -1, _id: -1 }, name: 'service_newest' },
    { key: { service: 1, environment: 1, createdAt: -1, _id: -1 }, name: 'target_newest' },
    { key: { status: 1, createdAt: -1 }, name: 'status_newest' },
  ],
  [COLLECTIONS.releases]: [
    { key: { service: 1, environment: 1, activatedAt: -1, _id: -1 }, name: 'target_activated' },
    { key: { service: 1, environment: 1, epoch: -1, activatedAt: -1, _id: -1 }, name: 'target_epoch' },
    { key: { activatedAt: 1 }, name: 'activated' },
  ],
  [COLLECTIONS.workloadStates]: [ttlIndex(STATE_EXPIRY)],
  [COLLECTIONS.buildLogs]: [unique({ buildId: 1, seq: 1 }, 'build_seq')],
  [COLLECTIONS.attached]: [ttlIndex(ATTACHED_EXPIRY)],
  [COLLECTIONS.keys]: [ttlIndex(KEY_EXPIRY)],
  [COLLECTIONS.lockfiles]: [ttlIndex(LOCKFILE_EXPIRY), { key: { serviceId: 1 }, name: 'service' }],
};
