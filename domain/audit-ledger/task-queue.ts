/** Task queue of every workflow and activity of the audit ledger. */
export const AUDIT_LEDGER_TASK_QUEUE = 'audit-ledger';
