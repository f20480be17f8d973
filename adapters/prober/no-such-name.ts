const NONE: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/** Whether DNS servers said that there is no such name or record. Any other error says nothing of it. */
export function isNoSuchName(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NONE.has(error.code);
}
