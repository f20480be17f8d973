import type { PageView } from '../page.ts';
import { pathOf } from '../platform/platform.ts';

type Crumbs = NonNullable<PageView['crumbs']>;

/** The way to a page of a service. */
export function serviceCrumbs(service: string, ...further: Crumbs): Crumbs {
  return [['Services', '/services'], [service, pathOf('services', service)], ...further];
}
