/**
 * The repository of a service's images. Its id is part of the name: a later service of the same name, perhaps another
 * org's, has another repository, and so can neither build on these images nor replace them.
 * @param registry host and port, with a path prefix if there is one
 */
export function imageRepository(registry: string, service: { readonly name: string; readonly id: string }): string {
  return `${registry}/${service.name}-${service.id.slice(service.id.indexOf('_') + 1)}`;
}
