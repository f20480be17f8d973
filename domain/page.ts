/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Opaque; null on the last page. */
  readonly nextCursor: string | null;
}

/** Which page of a list is asked for. */
export interface PageRequest {
  /** `nextCursor` of the page before; null asks for the first. */
  readonly cursor: string | null;
  /** 1 to 200. */
  readonly limit: number;
}
