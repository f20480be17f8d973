import { FairleadError } from '../errors.ts';

interface PlatformScopes {
  /** The service whose API gives them a meaning; null for words that are kept for the platform. */
  readonly service: string | null;
  /** Those that a service gets by declaring the dependency: they reach the caller's own org alone, or read alone. */
  readonly declared: readonly string[];
  /** Those of a dependency that names none; absent: none. */
  readonly byDefault?: readonly string[];
  /**
   * Those that a service of the platform's org gets by declaring the dependency when a platform admin deploys that very
   * catalog, who could add them to its client; absent: none.
   */
  readonly deployedByAdmin?: readonly string[];
  /** Others that there are; absent: they are told nobody. */
  readonly published?: readonly string[];
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
  // Spec 3, "Authentication", "Site registry": all but reading need a grant, and "same-org grants auto-approve". Who may deploy
  // in the platform's org is no admin of the platform by that, so the deploy has to be an admin's. Its gate takes services of
  // that org alone. `dns` is for the sessions of people, and for one service that an admin chooses.
  webmaster: {
    service: 'site-registry',
    declared: ['read'],
    byDefault: ['read'],
    deployedByAdmin: ['sync', 'hooks'],
    published: ['dns'],
  },
};

/** Scopes that the provider says there are (RFC 8414, `scopes_supported`), besides those of people. */
export const PUBLISHED_SCOPES: readonly string[] = Object.entries(PLATFORM_SCOPES).flatMap(([word, row]) =>
  [...row.declared, ...(row.deployedByAdmin ?? []), ...(row.published ?? [])].map((scope) => `${word}:${scope}`),
);

/** Whether a platform admin grants a scope to a service of the platform's org by deploying a catalog that declares it. */
export function isGrantedByDeployOfAdmin(scope: string): boolean {
  const [word = '', ...rest] = scope.split(':');
  const row = Object.hasOwn(PLATFORM_SCOPES, word) ? PLATFORM_SCOPES[word] : undefined;
  return row?.deployedByAdmin?.includes(rest.join(':')) ?? false;
}

/** The service of the platform whose scopes begin with a word; null for none. */
export function serviceOfScopes(word: string): string | null {
  return Object.hasOwn(PLATFORM_SCOPES, word) ? (PLATFORM_SCOPES[word]?.service ?? null) : null;
}

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

/**
 * What a deploy derives has none that a platform admin grants: a builder that asks for one is refused, whatever its catalog says.
 * @throws FORBIDDEN
 */
export function refuseGrantedByAdmin(derived: readonly string[]): void {
  const refused = derived.filter((scope) => grantorOf(scope) === 'platform_admin');
  if (refused.length === 0) return;
  const message = `No deploy gives ${refused.join(', ')}: a platform admin grants it, by \`fairlead oauth update --scopes\``;
  throw new FairleadError('FORBIDDEN', message);
}

/**
 * Scopes of a dependency as tokens have them: `{service}:{scope}`, or under the word that the platform's service has for
 * its own. A dependency that names none gets those that the service has for it.
 */
export function namedScopes({
  service,
  scopes,
}: {
  readonly service: string;
  readonly scopes: readonly string[];
}): readonly string[] {
  const [word, row] = wordOf(service);
  const named = scopes.length === 0 ? (row?.byDefault ?? []) : scopes;
  return named.map((scope) => {
    if (scope.startsWith(`${word}:`)) return scope;
    return `${word}:${scope.startsWith(`${service}:`) ? scope.slice(service.length + 1) : scope}`;
  });
}

/** The word before the colon: the service's name, where the platform has no other for it. */
function wordOf(service: string): readonly [word: string, row: PlatformScopes | undefined] {
  if (Object.hasOwn(PLATFORM_SCOPES, service)) return [service, PLATFORM_SCOPES[service]];
  const own = Object.entries(PLATFORM_SCOPES).filter(
    ([, row]) => row.service === service && row.byDefault !== undefined,
  );
  return own[0] ?? [service, undefined];
}
