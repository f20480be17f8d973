// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title The roots of the audit ledger's days.
/// @notice One Merkle root for each batch. A root that stands is never changed; one that the owner invalidated stays
/// readable and can be followed by another, the next revision. Whoever holds an event's hash and its proof can ask
/// {verify} and needs to trust neither the ledger nor its database.
///
/// A batch is a UTC day; its id is the number of days since 1970-01-01. The tree is the widely used "standard" one:
/// leaf = keccak256(keccak256(abi.encode(bytes32 eventHash))), inner node = keccak256 of the sorted pair. The leaf is
/// hashed twice so that an inner node can never pass for a leaf.
///
/// Roles: the anchorer writes roots of days that ended within the last 31 days and have none that stands. The owner
/// appoints the anchorer, invalidates batches, and writes roots of older days. Nobody writes one of a day that is not over.
/// There is no upgrade path: code that could be replaced would prove nothing.
contract AnchorRegistry {
    struct Anchor {
        bytes32 root;
        uint64 anchoredAt;
        uint64 blockNumber;
        bool invalidated;
    }

    /// @dev A root stands already.
    error AlreadyAnchored(uint256 batchId, bytes32 root);
    /// @dev The day is not over yet by the clock of the chain.
    error NotOver(uint256 batchId);
    /// @dev The day ended too long ago for the anchorer.
    error TooLate(uint256 batchId);
    error NotAnchored(uint256 batchId);
    error AlreadyInvalidated(uint256 batchId);
    error ZeroRoot();
    error ZeroAddress();
    error NotAnchorer(address caller);
    error NotOwner(address caller);
    error NotPendingOwner(address caller);
    error ReasonMissing();

    event Anchored(uint256 indexed batchId, bytes32 indexed root, address indexed anchorer);
    event Invalidated(uint256 indexed batchId, uint256 indexed revision, string reason);
    event AnchorerChanged(address indexed previousAnchorer, address indexed newAnchorer);
    event OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner);
    event OwnershipTransferred(address indexed previousOwner, address indexed newOwner);

    /// @notice How long after the end of a day the anchorer may write its root.
    uint256 public constant ANCHORING_PERIOD = 31 days;

    address public owner;
    address public pendingOwner;
    address public anchorer;

    /// @notice The newest root of a batch; a zero root means that nothing was anchored.
    mapping(uint256 batchId => Anchor) public anchors;
    /// @notice How many roots of a batch were invalidated and followed by another: the revision of {anchors}.
    mapping(uint256 batchId => uint256) public revisions;
    /// @notice The roots before, from revision 0 on.
    mapping(uint256 batchId => mapping(uint256 revision => Anchor)) public earlier;

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        _;
    }

    /// @dev Both are arguments, not `msg.sender`: the contract is deployed through a factory, to the same address on
    /// every chain.
    constructor(address initialOwner, address initialAnchorer) {
        if (initialOwner == address(0) || initialAnchorer == address(0)) revert ZeroAddress();
        owner = initialOwner;
        anchorer = initialAnchorer;
        emit OwnershipTransferred(address(0), initialOwner);
        emit AnchorerChanged(address(0), initialAnchorer);
    }

    /// @notice Writes the root of a batch, once; after an invalidation as the next revision.
    function anchor(uint256 batchId, bytes32 root) external {
        if (msg.sender != anchorer && msg.sender != owner) revert NotAnchorer(msg.sender);
        if (root == bytes32(0)) revert ZeroRoot();
        // No number of a day is that large: what follows cannot overflow.
        if (batchId >= type(uint64).max / 1 days || (batchId + 1) * 1 days > block.timestamp) revert NotOver(batchId);
        if (msg.sender != owner && block.timestamp - (batchId + 1) * 1 days > ANCHORING_PERIOD) revert TooLate(batchId);
        Anchor storage entry = anchors[batchId];
        if (entry.root != bytes32(0)) {
            if (!entry.invalidated) revert AlreadyAnchored(batchId, entry.root);
            earlier[batchId][revisions[batchId]++] = entry;
            entry.invalidated = false;
        }
        entry.root = root;
        entry.anchoredAt = uint64(block.timestamp);
        entry.blockNumber = uint64(block.number);
        emit Anchored(batchId, root, msg.sender);
    }

    /// @notice True when the event is in the batch and the batch stands; false when the batch is unknown or invalidated.
    function verify(uint256 batchId, bytes32 eventHash, bytes32[] calldata proof) external view returns (bool) {
        Anchor storage entry = anchors[batchId];
        if (entry.root == bytes32(0) || entry.invalidated) return false;
        bytes32 node = _hash(_hash(eventHash));
        for (uint256 i = 0; i < proof.length; ++i) {
            node = node < proof[i] ? _hash(node, proof[i]) : _hash(proof[i], node);
        }
        return node == entry.root;
    }

    /// @notice Takes the root of a batch out of force, for everyone to see. It stays readable.
    /// @param reason Why, in words; it is in the event.
    function invalidate(uint256 batchId, string calldata reason) external onlyOwner {
        Anchor storage entry = anchors[batchId];
        if (entry.root == bytes32(0)) revert NotAnchored(batchId);
        if (entry.invalidated) revert AlreadyInvalidated(batchId);
        if (bytes(reason).length == 0) revert ReasonMissing();
        entry.invalidated = true;
        emit Invalidated(batchId, revisions[batchId], reason);
    }

    /// @notice Appoints another anchorer, such as after a key was rotated.
    function setAnchorer(address newAnchorer) external onlyOwner {
        if (newAnchorer == address(0)) revert ZeroAddress();
        emit AnchorerChanged(anchorer, newAnchorer);
        anchorer = newAnchorer;
    }

    /// @notice Offers the contract to a new owner, who has to accept. The zero address takes an offer back.
    function transferOwnership(address newOwner) external onlyOwner {
        pendingOwner = newOwner;
        emit OwnershipTransferStarted(owner, newOwner);
    }

    function acceptOwnership() external {
        if (msg.sender != pendingOwner) revert NotPendingOwner(msg.sender);
        emit OwnershipTransferred(owner, msg.sender);
        owner = msg.sender;
        pendingOwner = address(0);
    }

    function _hash(bytes32 value) private pure returns (bytes32 result) {
        assembly ("memory-safe") {
            mstore(0x00, value)
            result := keccak256(0x00, 0x20)
        }
    }

    function _hash(bytes32 left, bytes32 right) private pure returns (bytes32 result) {
        assembly ("memory-safe") {
            mstore(0x00, left)
            mstore(0x20, right)
            result := keccak256(0x00, 0x40)
        }
    }
}
