/**
 * True when a pattern of workspaces means a folder: `*` stands for anything inside a name, `**` for any folders. Takes
 * time in proportion to both lengths multiplied, whatever they are: patterns come from strangers' repositories.
 */
export function matchesFolder(pattern: string, folder: string): boolean {
  return matchParts(partsOf(pattern), partsOf(folder), (part) => part === '**', matchesName);
}

/** True when a name is the one that a pattern with `*` stands for. */
export function matchesName(pattern: string, name: string): boolean {
  return matchParts(
    [...pattern],
    [...name],
    (character) => character === '*',
    (one, other) => one === other,
  );
}

export const partsOf = (path: string): readonly string[] =>
  path.split('/').filter((part) => part !== '' && part !== '.');

/** Goes back to the last part that stands for any number of others alone, which is enough to find a match. */
function matchParts(
  wanted: readonly string[],
  given: readonly string[],
  isAny: (part: string) => boolean,
  matches: (one: string, other: string) => boolean,
): boolean {
  let [at, place, any, resumed] = [0, 0, -1, 0];
  while (place < given.length) {
    const part = wanted[at];
    if (part !== undefined && isAny(part)) {
      any = at;
      resumed = place;
      at += 1;
    } else if (part !== undefined && matches(part, given[place] ?? '')) {
      at += 1;
      place += 1;
    } else if (any >= 0) {
      resumed += 1;
      at = any + 1;
      place = resumed;
    } else return false;
  }
  return wanted.slice(at).every(isAny);
}
