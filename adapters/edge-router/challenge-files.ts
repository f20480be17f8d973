import { readFileSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkedHostName, isHostName } from '../../domain/custom-domains/certificates/host-name.ts';
import type { ChallengeAnswers } from '../../domain/custom-domains/certificates/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { placeFile, removeFile } from './place-file.ts';

/** What a token may hold (RFC 8555, section 8.3): nothing that leaves a folder. */
const TOKEN = /^[A-Za-z0-9_-]{1,256}$/;
/** The whole path, byte for byte: what is encoded, doubled or has a query is no challenge. */
const CHALLENGE_PATH = /^\/\.well-known\/acme-challenge\/([A-Za-z0-9_-]{1,256})$/;

function answerFile(routesDirectory: string, host: string, token: string): string {
  return join(routesDirectory, 'challenges', host, token);
}

export function createChallengeAnswers(routesDirectory: string): ChallengeAnswers {
  const fileOf = (host: string, token: string): string => {
    if (!TOKEN.test(token))
      throw new FairleadError('VALIDATION_FAILED', 'what is to be the token of a challenge is none');
    return answerFile(routesDirectory, checkedHostName(host), token);
  };
  return {
    put: async (host, token, keyAuthorization) => await placeFile(fileOf(host, token), keyAuthorization),
    async remove(host, token) {
      const path = fileOf(host, token);
      await removeFile(path);
      // Other challenges of this host may be open.
      await rmdir(dirname(path)).catch(() => undefined);
    },
  };
}

const NO_FILE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/**
 * Finds the answer to the challenge that is asked for, null where none is, or none is expected for this host.
 * @returns what throws where a file cannot be read
 */
export function createChallengeReader(
  routesDirectory: string,
): (host: string, url: string | undefined) => string | null {
  return (host, url) => {
    const [, token] = CHALLENGE_PATH.exec(url ?? '') ?? [];
    if (token === undefined || !isHostName(host)) return null;
    try {
      return readFileSync(answerFile(routesDirectory, host, token), 'utf8');
    } catch (error) {
      // A token may be longer than the name of a file: none of these was put.
      if (error instanceof Error && 'code' in error && NO_FILE.has(String(error.code))) return null;
      throw error;
    }
  };
}
