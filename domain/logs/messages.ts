/** Names of the workflows of logs. */
export const LOGS_WORKFLOWS = { collectOutput: 'collectOutput' } as const;
