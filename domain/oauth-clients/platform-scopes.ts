/**
 * Scopes that the platform's own APIs give a meaning, by the word before the colon. No service may be named to get one.
 * `declared`: a service gets it by declaring the dependency, since it reaches the caller's own org alone. All others are
 * granted by a platform admin (spec 1, F 7), who adds them to the client.
 */
const PLATFORM_SCOPES: Readonly<Record<string, { readonly declared: readonly string[] }>> = {
  builder: { declared: [] },
  fairlead: { declared: [] },
  idp: { declared: [] },
  org: { declared: [] },
  personas: { declared: [] },
  platform: { declared: [] },
  // The audit ledger's: the events and proofs of the caller's own org.
  septor: { declared: ['query'] },
  // The site registry's (spec 3).
  webmaster: { declared: [] },
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
