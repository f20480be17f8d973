import { createHmac, hash, hkdfSync, randomBytes } from 'node:crypto';
import { FairleadError } from '../../domain/errors.ts';
import type { ChannelLinks } from '../../domain/notifications/ports.ts';
import { equalsDigest } from '../crypto/equals-secret.ts';

const NONCE_BYTES = 16;

/**
 * Tokens of the links in mails: HMACs of the channel, so that the worker writes into a mail what the API has only the hash of.
 * A copy of the database gives no link.
 * @param keys as {@link createSecretCipher} takes them: the first makes new links, all are believed
 */
export function createChannelLinks(keys: readonly Uint8Array[]): ChannelLinks {
  const subkeys = keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', 'links of alert channels', 32)));
  const [newest] = subkeys;
  if (newest === undefined) throw new FairleadError('VALIDATION_FAILED', 'MONITOR_ENCRYPTION_KEY holds no key');
  const confirmBy = (key: Buffer, channelId: string, nonce: string) => tokenOf(key, ['confirm', channelId, nonce]);
  const stopBy = (key: Buffer, channelId: string) => tokenOf(key, ['stop', channelId]);
  return {
    newConfirmation(channelId) {
      const nonce = randomBytes(NONCE_BYTES).toString('base64url');
      return { nonce, hash: hashOf(confirmBy(newest, channelId, nonce)) };
    },
    confirmToken(channelId, confirmation) {
      const tokens = subkeys.map((key) => confirmBy(key, channelId, confirmation.nonce));
      return tokens.find((token) => equalsDigest(hashOf(token), confirmation.hash)) ?? null;
    },
    hashOf,
    stopToken: (channelId) => stopBy(newest, channelId),
    isStopToken: (channelId, token) => subkeys.some((key) => equalsDigest(token, stopBy(key, channelId))),
  };
}

function tokenOf(key: Buffer, parts: readonly string[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest('base64url');
}

function hashOf(token: string): string {
  return hash('sha256', token);
}
