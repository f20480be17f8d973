import type { PropertyCommands } from '../../../domain/properties/messages.ts';

/** Commands that begin nothing; tests give those that they look at. */
export function createInMemoryPropertyCommands(changes: Partial<PropertyCommands> = {}): PropertyCommands {
  return {
    sync: async () => ({ added: 0, changed: 0, unchanged: 0, left: 0, ignored: 0, invalid: [] }),
    verify: async () => undefined,
    verifyMany: async () => undefined,
    tellIgnored: async () => undefined,
    isUnderWay: async () => false,
    check: async () => ({ verified: false, reason: 'the record was not found' }),
    readRecord: async (domain) => ({ token: `google-site-verification=${domain}` }),
    addOwner: async (_domain, email) => ({ owners: [email] }),
    ...changes,
  };
}
