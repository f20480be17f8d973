import { type AllowedCallers, PLATFORM } from '../http/allowed-callers.ts';

/** Who may do what with a wallet (spec 2, "Gas and metering through the gateway", 1). */
export const WALLET_CALLERS = {
  /** The platform, and who belongs to the org. */
  balance: { ...PLATFORM, user: 'viewer', service: true },
  /** The same; a service needs the scope, since entries name people and other services of its org. */
  ledger: { ...PLATFORM, user: 'viewer', service: { scopes: ['wallet:read'] } },
  credit: PLATFORM,
  /** The platform's own processes and services. No person takes tokens by hand. */
  debit: { internal: true, 'platform-service': true },
} as const satisfies Readonly<Record<string, AllowedCallers>>;
