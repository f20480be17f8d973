import { AbiCoder, concat, getCreate2Address, id, keccak256 } from 'ethers';
import type { ContractArtifact } from './contract-artifact.ts';

/**
 * The factory through which the contract is deployed: it is at this address on practically every chain (and on anvil),
 * takes a salt and creation code, and creates with CREATE2. Address = f(factory, salt, code, arguments), whoever sends.
 */
export const FACTORY = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
const SALT = id('fairlead.anchor-registry.1');

export interface RegistryRoles {
  readonly owner: string;
  readonly anchorer: string;
}

/** What deployment needs of a chain. */
export interface DeployTarget {
  code(address: string): Promise<string>;
  /** Sends a transaction and waits until it is mined. */
  send(transaction: { to: string; data: string }): Promise<void>;
}

/** Where the contract is, on every chain alike, for this code and these roles. */
export function anchorRegistryAddress(artifact: ContractArtifact, roles: RegistryRoles): string {
  return getCreate2Address(FACTORY, SALT, keccak256(creationCode(artifact, roles)));
}

/** Deploys the contract unless it is there. Returns its address. @throws Error on a chain without the factory */
export async function deployAnchorRegistry(
  target: DeployTarget,
  artifact: ContractArtifact,
  roles: RegistryRoles,
): Promise<string> {
  const address = anchorRegistryAddress(artifact, roles);
  if ((await target.code(address)) !== '0x') return address;
  if ((await target.code(FACTORY)) === '0x') {
    throw new Error(`the chain has no deterministic deployment factory at ${FACTORY}: have it deployed first`);
  }
  await target.send({ to: FACTORY, data: concat([SALT, creationCode(artifact, roles)]) });
  if ((await target.code(address)) === '0x') throw new Error(`the contract did not get to ${address}`);
  return address;
}

function creationCode(artifact: ContractArtifact, { owner, anchorer }: RegistryRoles): string {
  return concat([artifact.bytecode, AbiCoder.defaultAbiCoder().encode(['address', 'address'], [owner, anchorer])]);
}
