import { FairleadError } from '../../domain/errors.ts';

/** A part of a page: what was found, or why it could not be. */
export type Part<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: FairleadError };

/** Waits for a part of a page, so that the rest of the page is shown without it. @throws UNAUTHORIZED: no part is shown then */
export async function part<T>(promise: Promise<T>): Promise<Part<T>> {
  try {
    return { ok: true, value: await promise };
  } catch (error) {
    if (error instanceof FairleadError && error.code !== 'UNAUTHORIZED') return { ok: false, error };
    throw error;
  }
}
