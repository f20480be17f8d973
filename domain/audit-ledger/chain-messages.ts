/** Names and ids of the workflows on chains. */
export const CHAIN_WORKFLOWS = {
  writeCheckpoints: 'writeCheckpoints',
  verifyHistory: 'verifyHistory',
} as const;

/** The owner is part of the id: nobody finds what another org has started. @param place one of those an org has at once */
export function verificationWorkflowId(place: number, owner: string): string {
  return `verification/${owner}/${place}`;
}
