import { isReservedVariable } from '../config/variable-names.ts';
import type { Environment } from '../environment.ts';

/** A dependency that is deployed where its caller is: what the caller is given of it. */
export interface ResolvedDependency {
  /** Name of the service that is called. */
  readonly service: string;
  /** Its id, by which a later service of that name is told from it; absent where a version before resolved it. */
  readonly serviceId?: string | undefined;
  /** Where it answers, as seen from the container of the caller. */
  readonly url: string;
  /** The variable that holds the address; null where that name is the platform's own. */
  readonly variable: string | null;
}

/** Ends the names that dependencies have in containers: `shop.prod.internal`. `.internal` is kept for private use. */
export const DEPENDENCY_DOMAIN = 'internal';

const DEPENDENCY_PORT = 7600;

/**
 * Where a workload reaches a service that it depends on, through the relay beside it. It follows from the name alone, so
 * that a redeploy of the dependency changes nothing.
 * @param ownPort at which the caller listens: nobody else can listen there in its network
 */
export function dependencyUrl(
  { service, environment }: { readonly service: string; readonly environment: Environment },
  ownPort: number,
): string {
  const port = ownPort === DEPENDENCY_PORT ? DEPENDENCY_PORT + 1 : DEPENDENCY_PORT;
  return `http://${service}.${environment}.${DEPENDENCY_DOMAIN}:${port}`;
}

/** True for an address that leads through the relay of a workload in that environment. */
export function isRelayed(
  { service, url }: Pick<ResolvedDependency, 'service' | 'url'>,
  environment: Environment,
): boolean {
  return new URL(url).hostname === `${service}.${environment}.${DEPENDENCY_DOMAIN}`;
}

/** The dependencies as a caller has them that listens at `ownPort`, wherever it was thought to listen when they were resolved. */
export function dependenciesAt<T extends Pick<ResolvedDependency, 'service' | 'url'>>(
  dependencies: readonly T[],
  { environment, ownPort }: { readonly environment: Environment; readonly ownPort: number },
): readonly T[] {
  return dependencies.map((dependency) => {
    if (!isRelayed(dependency, environment)) return dependency;
    return { ...dependency, url: dependencyUrl({ service: dependency.service, environment }, ownPort) };
  });
}

/**
 * What a relay asks the proxy to dependencies for: the host and port of the address, behind the id of the service that was
 * called so when the caller was deployed: `svc_….shop.prod.internal:7600`. A later service of that name gets nothing.
 */
export function dependencyTunnel(serviceId: string | undefined, host: string): string {
  return serviceId === undefined ? host : `${serviceId}.${host}`;
}

/** The id and the host of a tunnel; the id is null where a relay of an earlier version asks. No name has an underscore. */
export function parseTunnel(to: string): { readonly serviceId: string | null; readonly host: string } {
  const [, serviceId, host] = /^(svc_[0-9a-z]+)\.(.*)$/.exec(to) ?? [];
  return serviceId === undefined || host === undefined ? { serviceId: null, host: to } : { serviceId, host };
}

/**
 * `SHOP_API_URL` for `shop-api`. Names of services have no underscores, so no two of them have the same variable. A
 * variable may not begin with a digit: that of `3d-shop` is `_3D_SHOP_URL`.
 */
export function dependencyVariable(service: string): string {
  const name = `${service.toUpperCase().replaceAll('-', '_')}_URL`;
  return /^\d/.test(name) ? `_${name}` : name;
}

/** @returns the dependency as its caller is given it */
export function resolvedDependency(
  { name, id }: { readonly name: string; readonly id: string },
  url: string,
): ResolvedDependency {
  const variable = dependencyVariable(name);
  return { service: name, serviceId: id, url, variable: isReservedVariable(variable) ? null : variable };
}

/** The variables by which a workload is given the addresses of its dependencies. */
export function dependencyVariables(dependencies: readonly ResolvedDependency[]): Readonly<Record<string, string>> {
  const named = dependencies.flatMap(({ variable, url }) => (variable === null ? [] : [[variable, url] as const]));
  return Object.fromEntries(named);
}
