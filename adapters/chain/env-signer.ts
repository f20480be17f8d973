import { computeAddress, SigningKey, Transaction } from 'ethers';
import type { TransactionSigner } from '../../domain/audit-ledger/anchoring-ports.ts';

/** A signer on a private key of this process (AUDIT_SIGNER_KEY: 32 bytes). The key is in no error and in no log. */
export function createEnvSigner(privateKey: Uint8Array): TransactionSigner {
  const key = new SigningKey(privateKey);
  const address = computeAddress(key);
  return {
    address: async () => address,
    async signTransaction(unsigned) {
      const transaction = Transaction.from({ type: 2, ...unsigned });
      transaction.signature = key.sign(transaction.unsignedHash);
      return transaction.serialized;
    },
  };
}
