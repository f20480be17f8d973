/**
 * The part of `infra/contracts/AnchorRegistry.sol` that anchoring uses, in ethers' readable form, so that no compiler is
 * needed where the contract is only called. A test compares it with what the compiler says.
 */
export const REGISTRY_ABI = [
  'function anchor(uint256 batchId, bytes32 root)',
  'function anchors(uint256 batchId) view returns (bytes32 root, uint64 anchoredAt, uint64 blockNumber, bool invalidated)',
  'function verify(uint256 batchId, bytes32 eventHash, bytes32[] proof) view returns (bool)',
  'event Anchored(uint256 indexed batchId, bytes32 indexed root, address indexed anchorer)',
  'error AlreadyAnchored(uint256 batchId, bytes32 root)',
  'error NotAnchorer(address caller)',
  'error NotOver(uint256 batchId)',
  'error TooLate(uint256 batchId)',
  'error ZeroRoot()',
] as const;
