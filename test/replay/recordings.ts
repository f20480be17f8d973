/** Name of a recording, without its extension, and the id of the workflow it is taken from, or one run of it. */
export type Recordings = Readonly<Record<string, string | { readonly workflowId: string; readonly runId: string }>>;
