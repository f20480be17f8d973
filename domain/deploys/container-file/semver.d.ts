/** The parts of `semver` that are used here; it carries no types. */
declare module 'semver/functions/satisfies.js' {
  /** Whether a version is in a range. */
  export default function satisfies(version: string, range: string): boolean;
}

declare module 'semver/ranges/intersects.js' {
  /** Whether some version is in both ranges. */
  export default function intersects(one: string, other: string): boolean;
}

declare module 'semver/ranges/valid.js' {
  /** The range in its normal form; null for a text that is none. */
  export default function validRange(range: string): string | null;
}

declare module 'semver/ranges/min-version.js' {
  /** The lowest version of a range; null when it has none. */
  export default function minVersion(range: string): { readonly major: number } | null;
}
