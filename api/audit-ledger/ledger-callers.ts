import { PLATFORM } from '../http/allowed-callers.ts';

/**
 * Who reads the ledger, by the API and on its pages alike: the platform, people with a role in their org, and every
 * service (spec 3, "Authentication": what a service emits, it may query). Each sees the events of its own org.
 */
export const READERS = { ...PLATFORM, user: 'viewer', service: true } as const;

/**
 * Who gets proofs: services need the scope (spec 3, "Endpoints", "Audit ledger"). People get from the API what the pages
 * show them, for no token of theirs can have a scope of services.
 */
export const PROOF_READERS = { ...READERS, service: { scopes: ['septor:query'] } } as const;

/**
 * Who writes: services (spec 3, "Endpoints": "authenticated service") and the internal key. With a person's token, whoever
 * is logged in could say what a service did.
 */
export const EMITTERS = { internal: true, 'platform-service': true, service: true } as const;
