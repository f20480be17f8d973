/** The parts of `semver` that are used here; it carries no types. */
declare module 'semver/functions/satisfies.js' {
  /** Whether a version is in a range. */
  export default function satisfies(
    version: string,
    range: string,
    options?: { readonly includePrerelease: boolean },
  ): boolean;
}

declare module 'semver/functions/lt.js' {
  /** Whether the first version is before the second. */
  export default function lessThan(one: string, other: string): boolean;
}

declare module 'semver/functions/valid.js' {
  /** The version in its normal form; null for a text that is none. */
  export default function validVersion(version: string): string | null;
}

declare module 'semver/ranges/intersects.js' {
  /** Whether some version is in both ranges. */
  export default function intersects(
    one: string,
    other: string,
    options?: { readonly includePrerelease: boolean },
  ): boolean;
}

declare module 'semver/ranges/valid.js' {
  /** The range in its normal form; null for a text that is none. */
  export default function validRange(range: string): string | null;
}

declare module 'semver/ranges/min-version.js' {
  /** The lowest version of a range; null when it has none. */
  export default function minVersion(range: string): { readonly major: number } | null;
}
