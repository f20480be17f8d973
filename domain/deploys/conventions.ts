import type { Catalog } from '../catalog/catalog.ts';
import { type EntryPlace, entryLocator } from '../catalog/entry-locator.ts';
import { FairleadError } from '../errors.ts';
import { isSensitiveName } from '../logs/sensitive-names.ts';
import { SITE_REGISTRY_WORDS } from '../services.ts';

/** What a catalog should look like beyond what its schema demands (spec 2, step 8). */
export interface ConventionRule {
  readonly id: string;
  /** `block` ends the build unless somebody gives a reason to skip the check. */
  readonly level: 'warn' | 'block';
  /** What to do instead. */
  readonly remedy: string;
  /** The places that violate it. */
  readonly violations: (catalog: Catalog) => readonly EntryPlace[];
}

/** The one table of conventions. A row is all that a new one takes. */
export const CONVENTION_RULES: readonly ConventionRule[] = [
  {
    id: 'no-credential-as-default',
    level: 'block',
    remedy: 'store it with `fairlead config set --secret`, and leave the default out of the repository',
    violations: ({ config }) =>
      config
        .filter(({ key, secret, default: value }) => value !== null && value !== '' && (secret || isSensitiveName(key)))
        .map(({ key }) => ({ section: 'config', name: key })),
  },
  {
    id: 'no-wildcard-scope',
    level: 'block',
    remedy: 'name the scopes that the service uses',
    violations: ({ dependencies }) =>
      dependencies
        .filter(({ scopes }) => scopes.some((scope) => scope.includes('*')))
        .map(({ service }) => ({ section: 'dependencies', name: service })),
  },
  {
    id: 'payer-is-known',
    level: 'block',
    remedy: 'ask for a signed-in caller with auth, or charge the service',
    violations: ({ routes }) =>
      placesOf(routes, ({ gas, charge, auth }) => gas > 0 && charge === 'callerOrg' && isOpen(auth)),
  },
  {
    id: 'charge-is-declared',
    level: 'warn',
    remedy: 'say with charge who pays; undeclared, it is the service',
    violations: ({ routes }) => placesOf(routes, ({ gas, charge }) => gas > 0 && charge === null),
  },
  {
    id: 'dependency-names-scopes',
    level: 'warn',
    remedy: 'name the scopes that the service uses: without them its tokens say nothing to the other service',
    violations: ({ auth, dependencies }) =>
      auth === null
        ? []
        : dependencies
            .filter(({ service, scopes }) => scopes.length === 0 && !SITE_REGISTRY_WORDS.includes(service))
            .map(({ service }) => ({ section: 'dependencies', name: service })),
  },
];

/** Several routes may have one path: each is told by its place in the list. */
function placesOf(routes: Catalog['routes'], isViolation: (route: Catalog['routes'][number]) => boolean) {
  return routes.flatMap((route, index): EntryPlace[] =>
    isViolation(route) ? [{ section: 'routes', name: route.path, index }] : [],
  );
}

/** With the name in brackets: redaction would take what stands behind `API_TOKEN:` for its value. */
function named({ section, name }: EntryPlace): string {
  return `spec.${section} (${name})`;
}

/** Auth modes of a route that let in whoever comes. `no` and `off` are text in YAML 1.2, and written for `false`. */
const OPEN: ReadonlySet<string> = new Set(['none', 'public', 'false', 'no', 'off']);

const isOpen = (auth: string | null): boolean => auth === null || OPEN.has(auth.trim().toLowerCase());

export interface ConventionViolation {
  readonly rule: string;
  readonly level: ConventionRule['level'];
  readonly message: string;
}

/**
 * What a catalog violates; nothing for a source without one, which cannot know of them.
 * @param text of the file, where it is at hand: then each says its line
 */
export function conventionViolations(catalog: Catalog, text: string | null = null): readonly ConventionViolation[] {
  if (!catalog.declared) return [];
  const locate = text === null ? () => '' : entryLocator(text);
  return CONVENTION_RULES.flatMap(({ id, level, remedy, violations }) =>
    violations(catalog).map((place) => {
      return { rule: id, level, message: `${locate(place)}${named(place)}: ${remedy} (${id})` };
    }),
  );
}

/** @throws CONVENTION_CHECK_FAILED with a line for each violation that blocks */
export function requireConventions(violations: readonly ConventionViolation[]): void {
  const blocking = violations.filter(({ level }) => level === 'block');
  if (blocking.length === 0) return;
  const lines = ['Convention check failed.', ...blocking.map(({ message }) => message)];
  throw new FairleadError('CONVENTION_CHECK_FAILED', lines.join('\n'), {
    details: { violations: blocking.map(({ rule, message }) => ({ rule, message })) },
  });
}
