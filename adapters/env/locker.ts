import { commaList, encryptionKeys, secret } from './variable-kinds.ts';

/** What the locker reads besides what every service reads. */
export const lockerSection = {
  /** The keys of its values: the first seals, all open. */
  LOCKER_ENCRYPTION_KEY: secret(encryptionKeys),
  /** Clients that may ask for values, which need the scope `locker-resolve` besides. */
  LOCKER_RESOLVE_CLIENTS: commaList.default(['builder']),
};

/** What the worker reads that seals values of the locker anew; without it that waits for another. */
export const lockerWorkerSection = { LOCKER_ENCRYPTION_KEY: secret(encryptionKeys.optional()) };
