const NUMBER = /^\d+$/;

/**
 * The order of two versions (Semantic Versioning 2.0.0, 11): negative when `a` comes first, 0 when neither does. A
 * prerelease comes before its release; what follows a `+` does not count. Numbers that are missing count as 0.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (const index of [0, 1, 2]) {
    const difference = compareIdentifiers(left.numbers[index] ?? '0', right.numbers[index] ?? '0');
    if (difference !== 0) return difference;
  }
  if (left.prerelease === null || right.prerelease === null) {
    return Number(left.prerelease === null) - Number(right.prerelease === null);
  }
  return comparePrereleases(left.prerelease, right.prerelease);
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  for (const [index, identifier] of a.entries()) {
    const other = b[index];
    const difference = other === undefined ? 1 : compareIdentifiers(identifier, other);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Numbers by their value, before all texts; texts by their ASCII order. */
function compareIdentifiers(a: string, b: string): number {
  const [isNumber, isOtherNumber] = [NUMBER.test(a), NUMBER.test(b)];
  if (isNumber && isOtherNumber) return Number(a) - Number(b);
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function parts(version: string): { numbers: string[]; prerelease: string[] | null } {
  const [withoutBuild = ''] = version.split('+');
  const [numbers = '', ...prerelease] = withoutBuild.split('-');
  return { numbers: numbers.split('.'), prerelease: prerelease.length === 0 ? null : prerelease.join('-').split('.') };
}
