import { getAddress, hexlify, Interface } from 'ethers';
import { dayNumber, isDay } from '../../domain/audit-ledger/days.ts';

/** What the owner of the anchor contract does by hand, each with its options. */
export const REGISTRY_CALLS = {
  invalidate: { signature: 'invalidate(uint256 batchId, string reason)', options: ['day', 'reason'] },
  'set-anchorer': { signature: 'setAnchorer(address newAnchorer)', options: ['anchorer'] },
  anchor: { signature: 'anchor(uint256 batchId, bytes32 root)', options: ['day', 'root'] },
} as const;

export type RegistryCall = keyof typeof REGISTRY_CALLS;

export interface RegistryOptions {
  readonly day?: string | undefined;
  readonly reason?: string | undefined;
  readonly anchorer?: string | undefined;
  readonly root?: string | undefined;
}

const READERS: Record<keyof RegistryOptions, (value: string) => unknown> = {
  day(value) {
    if (!isDay(value)) throw new Error('--day: a UTC day such as 2026-11-20');
    return dayNumber(value);
  },
  reason(value) {
    if (value.trim() === '') throw new Error('--reason: say why; everybody can read it on the chain');
    return value;
  },
  anchorer: getAddress,
  root(value) {
    if (!/^0x[0-9a-f]{64}$/i.test(value)) throw new Error('--root: 0x and 64 hex digits');
    return hexlify(value);
  },
};

/** The call as a transaction carries it. @throws Error that names the option that is missing or wrong */
export function encodeRegistryCall(call: RegistryCall, options: RegistryOptions): string {
  const { signature, options: names } = REGISTRY_CALLS[call];
  const values = names.map((name) => {
    const value = options[name];
    if (value === undefined) throw new Error(`${call} needs --${name}`);
    return READERS[name](value);
  });
  const method = signature.slice(0, signature.indexOf('('));
  return new Interface([`function ${signature}`]).encodeFunctionData(method, values);
}
