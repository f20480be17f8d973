/**
 * The prefix tells how the token reached its person, and is part of what its hash is made of. One that was mailed proves
 * that they read the mailbox; one that was handed to an admin proves nothing about the address.
 */
export const INVITE_PREFIXES = { mailed: 'fliv_', handed: 'flih_' } as const;

/** True for the token of an invitation that was mailed to the invited address. */
export function wasMailed(token: string): boolean {
  return token.startsWith(INVITE_PREFIXES.mailed);
}
