/** Names and ids of the workflows on chains. */
export const CHAIN_WORKFLOWS = {
  writeCheckpoints: 'writeCheckpoints',
  verifyHistory: 'verifyHistory',
} as const;

/** The owner is part of the id: nobody finds what another org has started. */
export function verificationWorkflowId(id: string, owner: string): string {
  return `verification/${owner}/${id}`;
}
