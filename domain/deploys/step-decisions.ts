import type { Catalog, CatalogSection } from '../catalog/catalog.ts';
import { isReinstall } from './build-kind.ts';
import { hasSeo } from './site-registry.ts';
import type { Decision, PlanContext } from './step-definition.ts';

/** The decisions that definitions of steps are written with. */

const NO_REGISTRY = 'no service registry is configured (REGISTRY_URL)';

type Skip = Exclude<Decision, 'run'>;

const NOT_PROVIDED = 'declared, but this installation does not provide it yet';

export const always = (): 'run' => 'run';

/** Runs a step where there is a service registry. */
export function withRegistry({ installation }: PlanContext): Decision {
  return installation.registry ? 'run' : skip(NO_REGISTRY);
}

/** Runs a step where there is a site registry and the catalog enables `spec.seo`; of a known release, the step itself looks. */
export function withSiteRegistry({ installation, catalog, kind }: PlanContext): Decision {
  if (!isReinstall(kind) && !hasSeo(catalog)) return skip('the catalog does not enable spec.seo');
  return installation.siteRegistry ? 'run' : skip('no site registry is told of deploys (SITE_REGISTRY_HOOKS)');
}

export function skip(reason: string): Skip {
  return { skip: reason, declared: false };
}

/** Skips a step that this version has no work for: with a warning when the catalog asks for it. */
export function notProvided(isDeclared: boolean, none: string): Skip {
  return isDeclared ? { skip: NOT_PROVIDED, declared: true } : skip(none);
}

/** The same for a step whose work a list of the catalog asks for. */
export function listNotProvided(
  list: 'databases' | 'storage' | 'dependencies',
  none: string,
): (context: PlanContext) => Skip {
  return ({ catalog }) => notProvided((catalog?.[list].length ?? 0) > 0, none);
}

/** The same for a step whose work a section of the catalog asks for. */
export function sectionNotProvided(section: CatalogSection, none: string): (context: PlanContext) => Skip {
  return ({ catalog }) => notProvided(declares(catalog, section), none);
}

export function declares(catalog: Catalog | null, section: CatalogSection): boolean {
  return catalog?.sections.includes(section) ?? false;
}
