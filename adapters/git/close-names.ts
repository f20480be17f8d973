const MAX_NAMES = 5;

/** At most five of `names`, those most like `wanted` first: by edit distance, and by one being part of the other. */
export function closeNames(wanted: string, names: readonly string[]): readonly string[] {
  const target = wanted.toLowerCase();
  return names
    .map((name) => ({ name, distance: likeness(target, name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance || a.name.localeCompare(b.name))
    .slice(0, MAX_NAMES)
    .map(({ name }) => name);
}

function likeness(a: string, b: string): number {
  if (a.includes(b) || b.includes(a)) return Math.abs(a.length - b.length) / 10;
  return editDistance(a.slice(0, 64), b.slice(0, 64));
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
