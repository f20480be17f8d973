interface PlatformScopes {
  /** The service whose API gives them a meaning; null for words that are kept for the platform. */
  readonly service: string | null;
  /** Those that a service gets by declaring the dependency, since they reach the caller's own org alone. */
  readonly declared: readonly string[];
}

/**
 * Scopes that the platform's own APIs give a meaning, by the word before the colon. No service may be named to get one.
 * No client has one by default. Who grants it: the platform itself what is `declared`; a platform admin all others (spec
 * 1, F 7), by adding them to the client.
 */
const PLATFORM_SCOPES: Readonly<Record<string, PlatformScopes>> = {
  builder: { service: 'builder', declared: [] },
  fairlead: { service: null, declared: [] },
  idp: { service: 'idp', declared: [] },
  locker: { service: 'locker', declared: [] },
  'locker-resolve': { service: 'locker', declared: [] },
  org: { service: 'idp', declared: [] },
  personas: { service: 'idp', declared: [] },
  platform: { service: null, declared: [] },
  // The events and proofs of the caller's own org.
  septor: { service: 'audit-ledger', declared: ['query'] },
  // The entries of the caller's own org: spec 2, "Gas and metering through the gateway", 1.
  wallet: { service: 'wallet', declared: ['read'] },
  // Spec 3.
  webmaster: { service: 'site-registry', declared: [] },
};

/** Whether scopes that begin with a word are the platform's: then they are of no service, whatever its name. */
export function beginsPlatformScopes(word: string): boolean {
  return Object.hasOwn(PLATFORM_SCOPES, word);
}

/** Who grants a scope: the platform to whoever declares it, its admin, or the org of the service that it names. */
export function grantorOf(scope: string): 'platform' | 'platform_admin' | 'org' {
  const [prefix = '', ...rest] = scope.split(':');
  const row = Object.hasOwn(PLATFORM_SCOPES, prefix) ? PLATFORM_SCOPES[prefix] : undefined;
  if (row === undefined) return 'org';
  return row.declared.includes(rest.join(':')) ? 'platform' : 'platform_admin';
}
