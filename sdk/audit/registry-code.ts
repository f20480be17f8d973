import type { Hash } from '../../domain/audit-ledger/event.ts';

/** A version of the code of `AnchorRegistry.sol`. */
interface RegistryCode {
  /** True where an invalidated day can be anchored again: the contract counts that as `revisions`. */
  readonly hasRevisions: boolean;
}

/**
 * The versions by keccak256 of the code that the contract has on chain. Its roles are in its storage, so the code is the same
 * wherever it is deployed. A contract of other code may answer whatever its author likes.
 */
export const REGISTRY_CODES: ReadonlyMap<Hash, RegistryCode> = new Map([
  ['0xeae14302ce6040ee41a5ab4058b155ef7b214d307ae6b6e184fff58e3f779e04', { hasRevisions: false }],
  ['0x0ee59f5514015da11139eeafd7f841bcd5970de9ba764299748a35481440332e', { hasRevisions: true }],
]);
