import type { Caller } from '../http/caller.ts';
import { createStreamPlaces } from '../http/stream-places.ts';

/** Logs that one person or service may follow at once: each is looked at several times a second, and so is who they are. */
const MOST_OF_CALLER = 50;
/** All of them together. */
const MOST = 2_000;

/** Places for followers of logs in this process. The platform itself, such as its console, takes none. */
export interface LogPlaces {
  /** @returns gives the place back, as the end of the client does @throws RATE_LIMITED when all are taken */
  take(caller: Caller, gone: AbortSignal): () => void;
}

export function createLogPlaces(): LogPlaces {
  const places = createStreamPlaces({ what: 'logs are followed', perKey: MOST_OF_CALLER, inAll: MOST });
  return {
    take: (caller, gone) => (caller.kind === 'internal' ? () => undefined : places.take(caller.name, gone)),
  };
}
