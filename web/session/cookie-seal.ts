import type { z } from 'zod';
import type { SecretCipher } from '../../domain/config/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';

/** Seals what a browser keeps for the console, each text for one purpose: what was sealed for another opens nowhere. */
export interface CookieSeal {
  seal(purpose: string, content: unknown): string;
  /** Null for what was not sealed for that purpose here, or is of another shape. */
  open<T>(purpose: string, text: string, schema: z.ZodType<T>): T | null;
}

const SEALED = /^([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

/** @param cipher AES-256-GCM whose keys have ids, so that a key is changed without ending sessions */
export function createCookieSeal(cipher: SecretCipher): CookieSeal {
  const contextOf = (purpose: string) => ({ service: 'console', key: purpose });
  return {
    seal: (purpose, content) => {
      const { keyId, sealed } = cipher.seal(JSON.stringify(content), contextOf(purpose));
      return `${keyId}.${sealed}`;
    },
    open: (purpose, text, schema) => {
      const [, keyId, sealed] = SEALED.exec(text) ?? [];
      if (keyId === undefined || sealed === undefined) return null;
      try {
        const content = parseJson(cipher.open({ keyId, sealed }, contextOf(purpose)));
        return schema.safeParse(content).data ?? null;
      } catch (error) {
        // A key that is gone, or a cookie that somebody changed: they sign in again.
        if (error instanceof FairleadError) return null;
        throw error;
      }
    },
  };
}
