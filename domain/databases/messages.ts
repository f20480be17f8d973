/** Names, ids and message types of the workflows of databases. */

export const DATABASE_WORKFLOWS = { dropDatabase: 'dropDatabase' } as const;

export interface DropRequest {
  /** Of the record. */
  readonly id: string;
  /** ISO time. */
  readonly dropAfter: string;
}

/** What came of the time to drop a database: it is gone, somebody has it again, or it is kept until another time. */
export type DropOutcome =
  | { readonly kind: 'dropped' | 'in use' }
  | { readonly kind: 'kept'; readonly dropAfter: string };

/** One at a time of a database. */
export function dropWorkflowId(id: string): string {
  return `database-drop/${id}`;
}
