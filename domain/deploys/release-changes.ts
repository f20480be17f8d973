/** Names of variables whose stored values differ from those of a release. */
export interface ReleaseChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** A value by name; null for one that cannot be read, which counts as changed. */
type Values = Readonly<Record<string, string | null>>;

/**
 * What a deploy would change of the variables that a release serves with.
 * @param served values of the release
 * @param stored values of the service
 * @param defaults declared by the catalog of the release: they stand where nothing is stored
 */
export function releaseChanges(served: Values, stored: Values, defaults: Values): ReleaseChanges {
  const next: Values = { ...defaults, ...stored };
  const names = (values: Values) => Object.keys(values).sort();
  return {
    added: names(next).filter((name) => !Object.hasOwn(served, name)),
    changed: names(next).filter((name) => Object.hasOwn(served, name) && !isSame(served[name], next[name])),
    removed: names(served).filter((name) => !Object.hasOwn(next, name)),
  };
}

function isSame(a: string | null | undefined, b: string | null | undefined): boolean {
  return typeof a === 'string' && a === b;
}
