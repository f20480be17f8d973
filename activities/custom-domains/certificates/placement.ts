export interface NameFailure {
  readonly host: string;
  readonly reason: string;
}

/**
 * - `placed`: there is an order of this URL, which is gone on with.
 * - `held back`: by the limits of authorities; `until` is an ISO time.
 * - `refused`: before anything was asked of the authority, since it would refuse these names.
 */
export type Placement =
  | { readonly kind: 'placed'; readonly url: string }
  | { readonly kind: 'held back'; readonly until: string; readonly reason: string }
  | { readonly kind: 'refused'; readonly failures: readonly NameFailure[] };
