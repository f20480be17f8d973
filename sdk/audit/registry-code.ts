import type { Hash } from '../../domain/audit-ledger/event.ts';

/**
 * keccak256 of the code that `AnchorRegistry.sol` has on chain, one for each version of it. Its roles are in its storage, so
 * the code is the same wherever it is deployed. A contract of other code may answer whatever its author likes.
 */
export const REGISTRY_CODE_HASHES: ReadonlySet<Hash> = new Set([
  '0xeae14302ce6040ee41a5ab4058b155ef7b214d307ae6b6e184fff58e3f779e04',
]);
