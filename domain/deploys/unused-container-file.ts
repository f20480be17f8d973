import type { BuildFacts } from './facts.ts';

/**
 * What a failure says of the container file that its author wrote and that was not used: it may do what no rule finds out.
 * Null where there is none.
 */
export function unusedContainerFile({ unusedContainerFile: path }: BuildFacts): string | null {
  if (path === undefined) return null;
  return `The repository has a ${path} of its own, which was not used: to build with it, name it in platform.io/dockerfile in catalog-info.yaml.`;
}
